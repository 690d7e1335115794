#include "model/object_reader.h"

#include <gtest/gtest.h>

#include "env/game_config.h"
#include "tests/env/expect_error.h"

namespace pahtum {
namespace {

using nlohmann::json;
using test::expect_error;

TEST(ObjectReader, FaultsNameFileAndField) {
  const json document = {{"count", 3}, {"name", "x"}, {"inner", {{"list", {{{"a", 1}}, 2}}}}};
  const ObjectReader reader("file.bin", "letter", "", document);
  EXPECT_EQ(reader.integer("count", 3, 3), 3);
  EXPECT_EQ(reader.text("name"), "x");
  EXPECT_EQ(reader.object("inner").entry("list", 0).integer("a", 0), 1);
  EXPECT_NO_THROW(reader.only({"count", "name", "inner"}));
  const auto refused = [](std::initializer_list<std::string_view> parts, auto&& action) {
    expect_error(Fault::kRequest, parts, action);
  };
  refused({"file.bin: is not a sound letter: `total` is missing"}, [&] { (void)reader.field("total"); });
  refused({"`count`", "is 3; it must be in 4 … 5"}, [&] { (void)reader.integer("count", 4, 5); });
  refused({"`name` is not an integer"}, [&] { (void)reader.integer("name", 0); });
  refused({"`count` is not a text"}, [&] { (void)reader.text("count"); });
  refused({"`count` is not a list"}, [&] { (void)reader.list("count"); });
  refused({"`count` is not an object"}, [&] { (void)reader.object("count"); });
  refused({"`inner.list[1]` is not an object"}, [&] { (void)reader.object("inner").entry("list", 1); });
  refused({"`inner.list[0].b` is missing"},
          [&] { (void)reader.object("inner").entry("list", 0).field("b"); });
  refused({"`inner` is unknown"}, [&] { reader.only({"count", "name"}); });
  refused({"it is not an object"}, [&] { ObjectReader("file.bin", "letter", "", document["count"]); });
}

TEST(ObjectReader, SectionsComeBack) {
  GameConfig written{.size = 6, .holes = HoleCounts::parse("2:1,4:2"), .layouts = {}, .swap = true};
  written.run_points = {0, 1, 3, 10, 25, 56, 119, 246};
  const json document = {{"game", section_to_json(describe(written))}};
  GameConfig read;
  ObjectReader("file", "letter", "", document).object("game").section(describe(read));
  EXPECT_EQ(read, written);

  json broken = document;
  broken["game"]["holes"] = json::array();
  expect_error(Fault::kRequest, {"file: is not a sound letter: `game.holes` is not a text"},
               [&] { ObjectReader("file", "letter", "", broken).object("game").section(describe(read)); });
}

}  // namespace
}  // namespace pahtum
