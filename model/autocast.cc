#include "model/autocast.h"

#include <ATen/autocast_mode.h>
#include <torch/version.h>

namespace pahtum {
namespace {

void set_cpu_autocast(bool enabled) {
  // From 2.4 on the functions of one device are deprecated.
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 4)
  at::autocast::set_autocast_dtype(at::kCPU, at::kBFloat16);
  at::autocast::set_autocast_enabled(at::kCPU, enabled);
#else
  at::autocast::set_autocast_cpu_dtype(at::kBFloat16);
  at::autocast::set_cpu_enabled(enabled);
#endif
}

}  // namespace

AutocastGuard::AutocastGuard(Precision precision) : active_(precision == Precision::kBf16) {
  if (!active_) return;
  at::autocast::increment_nesting();
  set_cpu_autocast(true);
}

AutocastGuard::~AutocastGuard() {
  if (!active_) return;
  set_cpu_autocast(false);
  // The rounded weights are kept until the outermost guard ends; the next step has others.
  if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
}

}  // namespace pahtum
