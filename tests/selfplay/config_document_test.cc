#include "selfplay/config_document.h"

#include <gtest/gtest.h>

#include <string>

namespace pahtum {
namespace {

using Kind = ConfigNode::Kind;

ConfigNode parse(const std::string& text) {
  return parse_config_document(text, ConfigSource::file("f.yaml"));
}

std::string document_fault(const std::string& text) {
  try {
    static_cast<void>(parse(text));
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::kRequest);
    return error.what();
  }
  return "no error";
}

TEST(ConfigDocument, KeepsKindsMarksAndDuplicates) {
  const ConfigNode root = parse("a: 1\nb:\n  c: \"1\"\n  d: [x, y]\na: ~\n");
  ASSERT_EQ(root.kind, Kind::kMap);
  ASSERT_EQ(root.fields.size(), 3u);
  EXPECT_EQ(root.fields[0].key.text, "a");
  EXPECT_EQ(root.fields[0].value.kind, Kind::kPlain);
  EXPECT_EQ(root.fields[2].key.text, "a");
  EXPECT_EQ(root.fields[2].key.mark.line, 5);
  EXPECT_EQ(root.fields[2].value.kind, Kind::kNull);
  const ConfigNode& inner = root.fields[1].value;
  ASSERT_EQ(inner.fields.size(), 2u);
  EXPECT_EQ(inner.fields[0].value.kind, Kind::kQuoted);
  EXPECT_EQ(inner.fields[0].value.mark.line, 3);
  EXPECT_EQ(inner.fields[0].value.mark.column, 6);
  ASSERT_EQ(inner.fields[1].value.kind, Kind::kList);
  EXPECT_EQ(inner.fields[1].value.items[1].text, "y");
}

TEST(ConfigDocument, EmptyTextIsNull) {
  EXPECT_EQ(parse("").kind, Kind::kNull);
  EXPECT_EQ(parse("# only a comment\n").kind, Kind::kNull);
  EXPECT_EQ(parse("---\n").kind, Kind::kNull);
}

TEST(ConfigDocument, RefusesWhatAConfigurationDoesNotNeed) {
  EXPECT_EQ(document_fault("a: 1\n---\nb: 2\n").substr(0, 9), "f.yaml:2:");
  EXPECT_NE(document_fault("a: 1\n---\nb: 2\n").find("second YAML document"), std::string::npos);
  EXPECT_NE(document_fault("a: &x 1\nb: *x\n").find("anchors"), std::string::npos);
  EXPECT_NE(document_fault("a: !!int 1\n").find("tags"), std::string::npos);
  EXPECT_NE(document_fault("a: !!map {b: 1}\n").find("tags"), std::string::npos);
  EXPECT_NE(document_fault("a: *nowhere\n"), "no error");
}

TEST(ConfigDocument, BrokenYamlSaysWhere) {
  EXPECT_EQ(document_fault("a: [1, 2\nb: }\n").substr(0, 7), "f.yaml:");
  EXPECT_NE(document_fault("a: [1, 2\nb: }\n").find("not valid YAML"), std::string::npos);
  EXPECT_NE(document_fault("a:\n\t- 1\n"), "no error");
}

TEST(ConfigDocument, DeepNestingIsAnErrorNotACrash) {
  for (const std::string unit : {"[", "{", "- ", "? ", "[{", "a: {"}) {
    std::string text;
    while (text.size() + unit.size() < kMaxConfigBytes / 4) text += unit;
    EXPECT_NE(document_fault(text), "no error") << unit;
  }
  std::string steps;
  for (int depth = 0; depth < 600; ++depth)
    steps += std::string(static_cast<std::size_t>(depth), ' ') + "a:\n";
  EXPECT_NE(document_fault(steps).find("nested deeper"), std::string::npos);
}

TEST(ConfigDocument, RefusesHugeAndBinaryTexts) {
  EXPECT_NE(document_fault(std::string(kMaxConfigBytes + 1, '#')).find("bytes"), std::string::npos);
  EXPECT_NE(document_fault(std::string("a: 1\0b", 6)).find("zero byte"), std::string::npos);
}

}  // namespace
}  // namespace pahtum
