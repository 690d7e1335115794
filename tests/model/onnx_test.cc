#include "model/onnx.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "env/base/protobuf.h"
#include "model/network_layers.h"
#include "tests/env/expect_error.h"

namespace pahtum {
namespace {

constexpr std::int64_t kFloat = 1, kFloat16 = 10;

ProtobufMessage tensor(const std::string& name, std::int64_t type, const std::string& data) {
  return ProtobufMessage().integer(1, 2).integer(1, 2).integer(2, type).bytes(8, name).bytes(9, data);
}

std::string model_of(const ProtobufMessage& initializer) {
  return ProtobufMessage().integer(1, 8).message(7, ProtobufMessage().message(5, initializer)).encoded();
}

void refused(std::initializer_list<std::string_view> parts, const std::string& bytes) {
  test::expect_error(Fault::kRequest, parts, [&] { (void)parse_onnx(bytes, "file"); });
}

struct Node {
  std::string operation, output;
  std::vector<std::string> inputs;
};

// The nodes of a model, in order.
std::vector<Node> nodes_of(const std::string& model) {
  std::vector<Node> nodes;
  ProtobufReader fields(model, "");
  while (const auto graph = fields.next()) {
    if (graph->number != 7) continue;
    ProtobufReader parts(graph->bytes, "");
    while (const auto part = parts.next()) {
      if (part->number != 1) continue;
      Node& node = nodes.emplace_back();
      ProtobufReader reader(part->bytes, "");
      while (const auto field = reader.next()) {
        if (field->number == 1) node.inputs.emplace_back(field->bytes);
        if (field->number == 2) node.output = field->bytes;
        if (field->number == 4) node.operation = field->bytes;
      }
    }
  }
  return nodes;
}

struct Model {
  Manifest manifest;
  NetworkArchive archive;
};

// A network whose weights are all zero bytes.
Model zero_model(WeightsForm form, bool swap) {
  Model model;
  model.manifest.game = {
      .size = 5, .holes = 3, .hole_mode = swap ? HoleMode::kPlaced : HoleMode::kRandom, .swap = swap};
  model.manifest.network = {.channels = 8, .blocks = 3, .pooling_every = 2, .head_channels = 4};
  model.archive.metadata = export_metadata(model.manifest, form);
  for (const NetworkTensor& wanted :
       network_tensors(model.manifest.network, shape_of(model.manifest.game), form.folded)) {
    const char* dtype = form.half && wanted.tower ? "F16" : "F32";
    const std::string zeros(*byte_count(dtype, wanted.shape), '\0');
    model.archive.tensors.push_back({wanted.name, dtype, wanted.shape, zeros});
  }
  return model;
}

TEST(Onnx, ComesBackAsItWasWritten) {
  const Model model = zero_model({.folded = true, .half = true}, true);
  const NetworkArchive read = parse_onnx(to_onnx(model.manifest, model.archive), "file");
  EXPECT_EQ(read.metadata, model.archive.metadata);
  ASSERT_EQ(read.tensors.size(), model.archive.tensors.size());
  for (std::size_t k = 0; k < read.tensors.size(); ++k) {
    EXPECT_EQ(read.tensors[k].name, model.archive.tensors[k].name);
    EXPECT_EQ(read.tensors[k].dtype, model.archive.tensors[k].dtype);
    EXPECT_EQ(read.tensors[k].shape, model.archive.tensors[k].shape);
    EXPECT_EQ(read.tensors[k].data, model.archive.tensors[k].data);
  }
}

TEST(Onnx, TheGraphIsInOrderAndReadsEveryWeight) {
  for (const bool folded : {true, false}) {
    for (const bool half : {true, false}) {
      for (const bool swap : {true, false}) {
        const Model model = zero_model({folded, half}, swap);
        std::set<std::string> known = {"planes"}, read;
        for (const StoredTensor& weights : model.archive.tensors) known.insert(weights.name);
        std::map<std::string, int> operations;
        for (const Node& node : nodes_of(to_onnx(model.manifest, model.archive))) {
          ++operations[node.operation];
          for (const std::string& input : node.inputs) {
            EXPECT_TRUE(known.contains(input)) << node.output << " reads " << input << " before it is there";
            read.insert(input);
          }
          EXPECT_TRUE(known.insert(node.output).second) << node.output << " is made twice";
        }
        for (const char* output : {"policy", "wdl", "margin", "ownership"}) {
          EXPECT_TRUE(known.contains(output)) << output;
          read.insert(output);
        }
        EXPECT_EQ(read, known) << "nothing is made for nothing";
        EXPECT_EQ(operations["Conv"], 1 + 2 * 3 + 4);
        EXPECT_EQ(operations["BatchNormalization"], folded ? 0 : 1 + 2 * 3 + 2);
        EXPECT_EQ(operations.contains("Cast"), half);
      }
    }
  }
}

TEST(Onnx, DimensionsMayBePacked) {
  const ProtobufMessage packed =
      ProtobufMessage().bytes(1, "\x02\x02").integer(2, kFloat).bytes(8, "a").bytes(9, std::string(16, 'x'));
  const NetworkArchive read = parse_onnx(model_of(packed), "file");
  ASSERT_EQ(read.tensors.size(), 1u);
  EXPECT_EQ(read.tensors[0].shape, (std::vector<std::int64_t>{2, 2}));
}

TEST(Onnx, WhatHoldsNoSoundWeightsIsRefused) {
  const std::string data(16, 'x');
  EXPECT_EQ(parse_onnx(model_of(tensor("a", kFloat, data)), "file").tensors.size(), 1u);
  refused({"file: is no ONNX model", "0 graphs"}, ProtobufMessage().integer(1, 8).encoded());
  refused({"2 graphs"}, model_of(tensor("a", kFloat, data)) + model_of(tensor("b", kFloat, data)));
  refused({"initializer \"a\" is of type 7"}, model_of(tensor("a", 7, data)));
  refused({"initializer \"a\" has 15 bytes of raw_data"}, model_of(tensor("a", kFloat, data.substr(1))));
  refused({"initializer \"a\" has 16 bytes of raw_data"}, model_of(tensor("a", kFloat16, data)));
  refused({"initializer \"a\" has 0 bytes of raw_data"},
          model_of(ProtobufMessage().integer(1, 4).integer(2, kFloat).bytes(8, "a").bytes(4, data)));
  refused({"initializer \"a\" has its data in another file"},
          model_of(tensor("a", kFloat, data).integer(14, 1)));
  refused({"more than eight dimensions"},
          model_of(tensor("a", kFloat, data).bytes(1, std::string(100, '\1'))));
  refused({"sparse"}, ProtobufMessage().message(7, ProtobufMessage().bytes(15, "")).encoded());
  refused({"file: is cut short"}, model_of(tensor("a", kFloat, data)).substr(0, 20));
}

}  // namespace
}  // namespace pahtum
