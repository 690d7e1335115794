#include "selfplay/config_document.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <sstream>

namespace pahtum {
namespace {

ConfigMark mark_of(const YAML::Mark& mark) {
  if (mark.is_null()) return {};
  return {mark.line + 1, mark.column + 1};
}

// Builds the tree from the parser's events rather than from YAML::Load: events keep duplicate keys and the
// marks of keys, and an exception thrown here stops the parser's recursion at a depth of our choice.
class TreeBuilder final : public YAML::EventHandler {
 public:
  explicit TreeBuilder(const ConfigSource& source) : source_(source) {}

  [[nodiscard]] ConfigNode take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (documents_++ > 0) throw source_.error(mark_of(mark), "a second YAML document; there must be one");
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
    add({.kind = ConfigNode::Kind::kNull, .mark = mark_of(mark), .text = {}, .items = {}, .fields = {}});
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
    throw source_.error(mark_of(mark), "aliases (*name) are not supported; write the value out");
  }
  void OnAnchor(const YAML::Mark& mark, const std::string& name) override {
    throw source_.error(mark_of(mark), "anchors (&" + name + ") are not supported; write each value out");
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t /*anchor*/,
                const std::string& value) override {
    if (tag != "?" && tag != "!") refuse_tag(mark, tag);
    const bool quoted = tag == "!";
    add({.kind = quoted ? ConfigNode::Kind::kQuoted : ConfigNode::Kind::kPlain,
         .mark = mark_of(mark),
         .text = value,
         .items = {},
         .fields = {}});
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t /*anchor*/,
                       YAML::EmitterStyle::value /*style*/) override {
    open(ConfigNode::Kind::kList, mark, tag);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t /*anchor*/,
                  YAML::EmitterStyle::value /*style*/) override {
    open(ConfigNode::Kind::kMap, mark, tag);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Level {
    ConfigNode node;
    bool has_key = false;  // of a map: the next node is the value of the last key
  };

  [[noreturn]] void refuse_tag(const YAML::Mark& mark, const std::string& tag) const {
    throw source_.error(mark_of(mark), "tags (" + tag + ") are not supported; write the plain value");
  }

  void open(ConfigNode::Kind kind, const YAML::Mark& mark, const std::string& tag) {
    if (!tag.empty() && tag != "?" && tag != "!") refuse_tag(mark, tag);
    if (levels_.size() == kMaxConfigDepth) {
      throw source_.error(mark_of(mark), "lists and maps are nested deeper than " +
                                             std::to_string(kMaxConfigDepth) + " levels");
    }
    levels_.push_back({.node = {.kind = kind, .mark = mark_of(mark), .text = {}, .items = {}, .fields = {}}});
  }

  void close() {
    ConfigNode node = std::move(levels_.back().node);
    levels_.pop_back();
    add(std::move(node));
  }

  void add(ConfigNode node) {
    if (levels_.empty()) {
      root_ = std::move(node);
      return;
    }
    Level& parent = levels_.back();
    if (parent.node.kind == ConfigNode::Kind::kList) {
      parent.node.items.push_back(std::move(node));
    } else if (parent.has_key) {
      // The parser notices a missing value only at the next token, often lines below.
      if (node.kind == ConfigNode::Kind::kNull) node.mark = parent.node.fields.back().key.mark;
      parent.node.fields.back().value = std::move(node);
      parent.has_key = false;
    } else {
      parent.node.fields.push_back({std::move(node), ConfigNode{}});
      parent.has_key = true;
    }
  }

  const ConfigSource& source_;
  int documents_ = 0;
  std::vector<Level> levels_;
  ConfigNode root_;
};

}  // namespace

Error ConfigSource::error(ConfigMark mark, const std::string& message) const {
  if (!marked_) return request_error(name_, message);
  return request_error(name_ + ":" + std::to_string(mark.line) + ":" + std::to_string(mark.column), message);
}

ConfigNode parse_config_document(std::string_view text, const ConfigSource& source) {
  if (text.size() > kMaxConfigBytes) {
    throw source.error(
        {}, "holds more than " + std::to_string(kMaxConfigBytes) + " bytes; this is no configuration");
  }
  if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos) {
    throw source.error({},
                       "holds a zero byte (at offset " + std::to_string(zero) + "); this is no YAML text");
  }
  TreeBuilder builder(source);
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const YAML::Exception& error) {
    throw source.error(mark_of(error.mark), "is not valid YAML: " + error.msg);
  }
  return builder.take();
}

}  // namespace pahtum
