#include <gtest/gtest.h>

#include "tests/fuzz/checkpoint_target.h"
#include "tests/fuzz/config_target.h"
#include "tests/fuzz/corpus.h"
#include "tests/fuzz/onnx_target.h"
#include "tests/fuzz/oracle_target.h"
#include "tests/fuzz/safetensors_target.h"
#include "tests/fuzz/shard_target.h"
#include "tests/fuzz/torchscript_target.h"

// Of model and eval as well: the highest floor sees all readers of files.
namespace pahtum::fuzz {
namespace {

TEST(FuzzCorpus, Configurations) {
  replay("config", fuzz_config);
}
TEST(FuzzCorpus, Checkpoints) {
  replay("checkpoint", fuzz_checkpoint);
}
TEST(FuzzCorpus, GameShards) {
  replay("shard", fuzz_shard);
}
TEST(FuzzCorpus, OracleDataSets) {
  replay("oracle", fuzz_oracle);
}
TEST(FuzzCorpus, SafetensorsFiles) {
  replay("safetensors", fuzz_safetensors);
}
TEST(FuzzCorpus, OnnxModels) {
  replay("onnx", fuzz_onnx);
}
TEST(FuzzCorpus, TorchScriptArchives) {
  replay("torchscript", fuzz_torchscript);
}

}  // namespace
}  // namespace pahtum::fuzz
