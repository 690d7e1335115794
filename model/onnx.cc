#include "model/onnx.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <variant>

#include "env/base/bytes.h"
#include "env/base/error.h"
#include "env/base/protobuf.h"
#include "env/base/quotes.h"
#include "model/network_layers.h"

namespace pahtum {
namespace {

constexpr std::int64_t kIrVersion = 8;
constexpr std::int64_t kOpset = 17;
constexpr const char* kBatch = "batch";

// Field numbers and values of onnx.proto, version 3 of the schema.
enum ModelField : std::uint32_t {
  kModelIrVersion = 1,
  kModelProducer = 2,
  kModelProducerVersion = 3,
  kModelDocument = 6,
  kModelGraph = 7,
  kModelOpset = 8,
  kModelMetadata = 14
};
enum OpsetField : std::uint32_t { kOpsetDomain = 1, kOpsetVersion = 2 };
enum EntryField : std::uint32_t { kEntryKey = 1, kEntryValue = 2 };
enum GraphField : std::uint32_t {
  kGraphNode = 1,
  kGraphName = 2,
  kGraphInitializer = 5,
  kGraphInput = 11,
  kGraphOutput = 12,
  kGraphSparseInitializer = 15
};
enum NodeField : std::uint32_t {
  kNodeInput = 1,
  kNodeOutput = 2,
  kNodeName = 3,
  kNodeOperator = 4,
  kNodeAttribute = 5
};
enum AttributeField : std::uint32_t {
  kAttributeName = 1,
  kAttributeFloat = 2,
  kAttributeInteger = 3,
  kAttributeTensor = 5,
  kAttributeIntegers = 8,
  kAttributeType = 20
};
enum AttributeType : std::int64_t { kFloat = 1, kInteger = 2, kTensor = 4, kIntegers = 7 };
enum TensorField : std::uint32_t {
  kTensorDims = 1,
  kTensorType = 2,
  kTensorName = 8,
  kTensorRaw = 9,
  kTensorLocation = 14
};
enum ElementType : std::int64_t { kFloat32 = 1, kInt64 = 7, kFloat16 = 10 };
enum ValueField : std::uint32_t { kValueName = 1, kValueType = 2, kValueDocument = 3 };
enum TypeField : std::uint32_t { kTypeTensor = 1 };
enum TensorTypeField : std::uint32_t { kElementType = 1, kElementShape = 2 };
enum ShapeField : std::uint32_t { kShapeDim = 1 };
enum DimField : std::uint32_t { kDimValue = 1, kDimName = 2 };

using Integers = std::vector<std::int64_t>;

std::int64_t element_type(std::string_view dtype) {
  if (dtype == "F16") return kFloat16;
  return dtype == "I64" ? kInt64 : kFloat32;
}

ProtobufMessage tensor_message(const StoredTensor& tensor) {
  ProtobufMessage message;
  for (const std::int64_t extent : tensor.shape) message.integer(kTensorDims, extent);
  message.integer(kTensorType, element_type(tensor.dtype));
  if (!tensor.name.empty()) message.bytes(kTensorName, tensor.name);
  return message.bytes(kTensorRaw, tensor.data);
}

struct Attribute {
  const char* name;
  std::variant<std::int64_t, float, Integers, StoredTensor> value;
};

ProtobufMessage attribute_message(const Attribute& attribute) {
  ProtobufMessage message;
  message.bytes(kAttributeName, attribute.name);
  if (const auto* integer = std::get_if<std::int64_t>(&attribute.value)) {
    message.integer(kAttributeInteger, *integer).integer(kAttributeType, kInteger);
  } else if (const auto* real = std::get_if<float>(&attribute.value)) {
    message.real32(kAttributeFloat, *real).integer(kAttributeType, kFloat);
  } else if (const auto* integers = std::get_if<Integers>(&attribute.value)) {
    for (const std::int64_t value : *integers) message.integer(kAttributeIntegers, value);
    message.integer(kAttributeType, kIntegers);
  } else {
    message.message(kAttributeTensor, tensor_message(std::get<StoredTensor>(attribute.value)))
        .integer(kAttributeType, kTensor);
  }
  return message;
}

// A float32 tensor that goes in or out; extent 0 is the batch.
ProtobufMessage value_message(const std::string& name, const Integers& shape, const std::string& document) {
  ProtobufMessage dims;
  for (const std::int64_t extent : shape) {
    const ProtobufMessage dim = extent == 0 ? ProtobufMessage().bytes(kDimName, kBatch)
                                            : ProtobufMessage().integer(kDimValue, extent);
    dims.message(kShapeDim, dim);
  }
  const ProtobufMessage tensor =
      ProtobufMessage().integer(kElementType, kFloat32).message(kElementShape, dims);
  return ProtobufMessage()
      .bytes(kValueName, name)
      .message(kValueType, ProtobufMessage().message(kTypeTensor, tensor))
      .bytes(kValueDocument, document);
}

template <class Number>
StoredTensor constant(const char* dtype, const std::vector<Number>& values) {
  StoredTensor tensor{.name = "", .dtype = dtype, .shape = {std::ssize(values)}, .data = {}};
  append_numbers(tensor.data, std::span(values));
  return tensor;
}

// The forward pass of NetworkImpl in evaluation mode, node by node. A node has one output, which has its
// name; names with a dot are within the graph.
class NetworkGraph {
 public:
  NetworkGraph(const Manifest& manifest, const NetworkArchive& archive)
      : manifest_(manifest), archive_(archive), shape_(shape_of(manifest.game)) {
    graph_.bytes(kGraphName, "pahtum");
    const NetworkConfig& config = manifest.network;
    add("Constant", "board.axes", {}, {{"value", constant<std::int64_t>("I64", {2, 3})}});
    add("Constant", "channel.axis", {}, {{"value", constant<std::int64_t>("I64", {1})}});
    std::string x = add_relu(add_convolution("planes", "stem", 1));
    for (std::int64_t number = 0; number < config.blocks; ++number) {
      const std::string name = "block" + std::to_string(number);
      std::string y = add_relu(add_convolution(x, name + "_first", 1));
      if (is_pooled(config, number)) y = add_bias(y, add_dense(add_pooling(y), name + "_pool"));
      x = add_relu(add("Add", name + ".sum", {add_convolution(y, name + "_second", 1), x}));
    }
    add_policy(x);
    add_value(x);
    add("Squeeze", "ownership",
        {add("Tanh", "ownership.tanh", {add_convolution(x, "ownership", 0)}), "channel.axis"});
  }

  [[nodiscard]] ProtobufMessage message() {
    for (const StoredTensor& tensor : archive_.tensors)
      graph_.message(kGraphInitializer, tensor_message(tensor));
    const std::int64_t size = manifest_.game.size;
    graph_.message(kGraphInput,
                   value_message("planes", {0, shape_.channels, size, size}, archive_.metadata.at("input")));
    const auto output = [&](const char* name, const Integers& shape, const char* document) {
      graph_.message(kGraphOutput, value_message(name, shape, document));
    };
    output("policy", {0, size * size + (shape_.swap ? 1 : 0)}, "logits of actions, not masked");
    output("wdl", {0, 3}, "logits of win, draw and loss of the mover");
    output("margin", {0}, "expected final margin of the mover in points");
    output("ownership", {0, size, size}, "expected owner: 1 the mover, -1 the opponent");
    return graph_;
  }

 private:
  std::string add(const char* operation, const std::string& name, const std::vector<std::string>& inputs,
                  const std::vector<Attribute>& attributes = {}) {
    ProtobufMessage node;
    for (const std::string& input : inputs) node.bytes(kNodeInput, input);
    node.bytes(kNodeOutput, name).bytes(kNodeName, name).bytes(kNodeOperator, operation);
    for (const Attribute& attribute : attributes) node.message(kNodeAttribute, attribute_message(attribute));
    graph_.message(kGraphNode, node);
    return name;
  }
  std::string add_relu(const std::string& input) { return add("Relu", input + ".relu", {input}); }

  [[nodiscard]] const StoredTensor* find(const std::string& name) const {
    return find_tensor(archive_.tensors, name);
  }
  // The tensor as float32.
  std::string number(const std::string& name) {
    const StoredTensor* tensor = find(name);
    if (tensor == nullptr || tensor->dtype != "F16") return name;
    return add("Cast", name + ".float32", {name}, {{"to", std::int64_t{kFloat32}}});
  }

  std::string add_convolution(const std::string& input, const std::string& layer, std::int64_t padding) {
    const std::int64_t kernel = 2 * padding + 1;
    const std::vector<Attribute> attributes = {{"kernel_shape", Integers{kernel, kernel}},
                                               {"pads", Integers(4, padding)}};
    std::vector<std::string> inputs = {input, number(layer + ".weight")};
    if (find(layer + ".scale") == nullptr) {
      inputs.push_back(number(layer + ".bias"));
      return add("Conv", layer + ".conv", inputs, attributes);
    }
    const std::string features = add("Conv", layer + ".conv", inputs, attributes);
    return add("BatchNormalization", layer + ".norm",
               {features, layer + ".scale", layer + ".shift", layer + ".mean", layer + ".variance"},
               {{"epsilon", static_cast<float>(kNormalizationEpsilon)}});
  }
  std::string add_dense(const std::string& input, const std::string& layer) {
    return add("Gemm", layer + ".dense", {input, layer + ".weight", layer + ".bias"},
               {{"transB", std::int64_t{1}}});
  }
  // Mean and maximum of every channel: [batch, C, n, n] to [batch, 2C].
  std::string add_pooling(const std::string& input) {
    const std::string mean = add("GlobalAveragePool", input + ".mean", {input});
    const std::string most = add("GlobalMaxPool", input + ".max", {input});
    const std::string both = add("Concat", input + ".pools", {mean, most}, {{"axis", std::int64_t{1}}});
    return add("Flatten", input + ".pooled", {both}, {{"axis", std::int64_t{1}}});
  }
  // Features plus one number for each sample and channel.
  std::string add_bias(const std::string& features, const std::string& bias) {
    const std::string wide = add("Unsqueeze", bias + ".wide", {bias, "board.axes"});
    return add("Add", features + ".biased", {features, wide});
  }

  void add_policy(const std::string& x) {
    const std::string p = add_convolution(x, "policy", 0);
    const std::string g = add_pooling(add_relu(p));
    const std::string biased = add_relu(add_bias(p, add_dense(g, "policy_pool")));
    const std::string logits = add_convolution(biased, "policy_out", 0);
    const std::vector<Attribute> flat = {{"axis", std::int64_t{1}}};
    if (shape_.swap) {
      add("Concat", "policy", {add("Flatten", "policy.squares", {logits}, flat), add_dense(g, "policy_swap")},
          flat);
    } else {
      add("Flatten", "policy", {logits}, flat);
    }
  }
  void add_value(const std::string& x) {
    const std::string pooled = add_pooling(add_relu(add_convolution(x, "value", 0)));
    const std::string hidden = add_relu(add_dense(pooled, "value_dense"));
    add("Identity", "wdl", {add_dense(hidden, "value_wdl")});
    add("Constant", "margin.unit", {},
        {{"value", constant<float>("F32", {static_cast<float>(kMarginUnit)})}});
    const std::string points =
        add("Mul", "margin.points", {add_dense(hidden, "value_margin"), "margin.unit"});
    add("Squeeze", "margin", {points, "channel.axis"});
  }

  const Manifest& manifest_;
  const NetworkArchive& archive_;
  NetworkShape shape_;
  ProtobufMessage graph_;
};

Error unsound(const std::string& source, const std::string& why) {
  return request_error(source, "is no ONNX model that holds a network: " + why);
}

// Both ways a row of integers may be written.
void append_dims(const ProtobufField& field, const std::string& source, Integers& dims) {
  constexpr std::size_t kMostDims = 8;
  if (field.type == ProtobufField::Type::kBytes) {
    ProtobufReader reader(field.bytes, source);
    while (const auto extent = reader.next_packed()) {
      dims.push_back(*extent);
      if (dims.size() > kMostDims) break;
    }
  } else {
    dims.push_back(field.integer);
  }
  if (dims.size() > kMostDims) throw unsound(source, "a tensor has more than eight dimensions");
}

StoredTensor read_tensor(std::string_view bytes, const std::string& source) {
  StoredTensor tensor;
  std::int64_t type = 0;
  bool elsewhere = false;
  std::string_view data;
  ProtobufReader reader(bytes, source);
  while (const auto field = reader.next()) {
    switch (field->number) {
      case kTensorDims:
        append_dims(*field, source, tensor.shape);
        break;
      case kTensorType:
        type = field->integer;
        break;
      case kTensorName:
        tensor.name = field->bytes;
        break;
      case kTensorRaw:
        data = field->bytes;
        break;
      case kTensorLocation:
        elsewhere = field->integer != 0;
        break;
      default:
        break;
    }
  }
  const std::string name = "initializer " + in_quotes(tensor.name);
  if (elsewhere) throw unsound(source, name + " has its data in another file");
  if (type != kFloat32 && type != kFloat16) {
    throw unsound(source,
                  name + " is of type " + std::to_string(type) + ", none of float (1) and float16 (10)");
  }
  tensor.dtype = type == kFloat16 ? "F16" : "F32";
  if (byte_count(tensor.dtype, tensor.shape) != data.size()) {
    throw unsound(source, name + " has " + std::to_string(data.size()) +
                              " bytes of raw_data, another size than type and shape " +
                              shape_text(tensor.shape) + " give");
  }
  tensor.data = data;
  return tensor;
}

std::pair<std::string, std::string> read_entry(std::string_view bytes, const std::string& source) {
  std::pair<std::string, std::string> entry;
  ProtobufReader reader(bytes, source);
  while (const auto field = reader.next()) {
    if (field->number == kEntryKey) entry.first = field->bytes;
    if (field->number == kEntryValue) entry.second = field->bytes;
  }
  return entry;
}

void read_graph(std::string_view bytes, const std::string& source, NetworkArchive& archive) {
  ProtobufReader reader(bytes, source);
  while (const auto field = reader.next()) {
    if (field->number == kGraphSparseInitializer) throw unsound(source, "it has sparse initializers");
    if (field->number == kGraphInitializer) archive.tensors.push_back(read_tensor(field->bytes, source));
  }
}

}  // namespace

std::string to_onnx(const Manifest& manifest, const NetworkArchive& archive) {
  ProtobufMessage model;
  model.integer(kModelIrVersion, kIrVersion)
      .bytes(kModelProducer, "pahtum")
      .bytes(kModelProducerVersion, manifest.project_version)
      .bytes(kModelDocument, "Policy and value network for PahTum, " + to_text(manifest.game))
      .message(kModelGraph, NetworkGraph(manifest, archive).message())
      .message(kModelOpset, ProtobufMessage().bytes(kOpsetDomain, "").integer(kOpsetVersion, kOpset));
  for (const auto& [key, value] : archive.metadata) {
    model.message(kModelMetadata, ProtobufMessage().bytes(kEntryKey, key).bytes(kEntryValue, value));
  }
  return model.encoded();
}

NetworkArchive parse_onnx(std::string_view bytes, const std::string& source) {
  NetworkArchive archive;
  int graphs = 0;
  ProtobufReader reader(bytes, source);
  while (const auto field = reader.next()) {
    if (field->number == kModelMetadata) archive.metadata.insert(read_entry(field->bytes, source));
    if (field->number != kModelGraph) continue;
    ++graphs;
    read_graph(field->bytes, source, archive);
  }
  if (graphs != 1) throw unsound(source, "it has " + std::to_string(graphs) + " graphs and must have one");
  return archive;
}

}  // namespace pahtum
