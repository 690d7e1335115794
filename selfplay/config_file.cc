#include "selfplay/config_file.h"

#include <algorithm>
#include <map>
#include <set>
#include <system_error>

#include "env/base/error.h"
#include "env/base/files.h"
#include "selfplay/config_document.h"
#include "selfplay/config_values.h"

namespace pahtum {
namespace {

using Kind = ConfigNode::Kind;

std::string full_key(const Schema& section, const std::string& name) {
  return section.name() + "." + name;
}

std::vector<std::string> field_names(const Schema& section) {
  std::vector<std::string> names;
  for (const Field& field : section.fields()) names.push_back(field.name);
  return names;
}

const Field* find_field(const Schema& section, std::string_view name) {
  const auto fields = section.fields();
  const auto found = std::ranges::find(fields, name, &Field::name);
  return found == fields.end() ? nullptr : &*found;
}

// Fills the structs that a list of schemas is bound to, and remembers where each key came from so that rules
// over several keys can be reported at the right place too.
class Loader {
 public:
  Loader(std::vector<Schema> sections, ConfigSource source)
      : sections_(std::move(sections)), source_(std::move(source)) {}

  // A whole configuration: a map of sections.
  void read_sections(const ConfigNode& root) {
    root_ = root.mark;
    require_map(root, "the file must be a map of sections, such as `game:`");
    for_each_key(root, "section",
                 [&](const std::string& name, const ConfigNode& key, const ConfigNode& value) {
                   const Schema* section = find_section(name);
                   if (section == nullptr) throw source_.error(key.mark, unknown_section(name));
                   marks_.emplace(name, key.mark);
                   read_section(*section, value);
                 });
  }

  // The keys of one section at the root of the file.
  void read_single_section(const ConfigNode& root) {
    root_ = root.mark;
    const Schema& section = sections_.front();
    require_map(root, "the file must be a map of the keys of `" + section.name() + "`");
    read_section(section, root);
  }

  void apply_override(const std::string& text) {
    const std::size_t equals = text.find('=');
    const std::string key = text.substr(0, equals);
    const ConfigSource source = ConfigSource::option(key);
    const std::size_t dot = key.find('.');
    if (equals == std::string::npos || dot == std::string::npos) {
      throw ConfigSource::option(text).error({}, "must be section.key=value, for example game.holes=5");
    }
    const std::string section_name = key.substr(0, dot);
    const std::string name = key.substr(dot + 1);
    const Schema* section = find_section(section_name);
    if (section == nullptr) throw source.error({}, unknown_section(section_name));
    const Field* field = find_field(*section, name);
    if (field == nullptr) throw source.error({}, unknown_key(*section, name));
    assign_config_value(*field, key, parse_config_document(text.substr(equals + 1), source), source);
    overridden_.insert(key);
  }

  void require_keys() const {
    for (const Schema& section : sections_) {
      for (const Field& field : section.fields()) {
        const std::string key = full_key(section, field.name);
        const auto given = [&](const std::string& name) {
          return marks_.contains(full_key(section, name)) || overridden_.contains(full_key(section, name));
        };
        if (!field.required || given(field.name)) continue;
        if (!field.required_unless.empty() && given(field.required_unless)) continue;
        const std::string range = config_range_text(field);
        const std::string hint = range.empty() ? "" : " (" + range + ")";
        throw source_.error(place(section.name()),
                            "the required key " + key + hint + " is missing: " + field.help);
      }
    }
  }

  // Turns the Error of a rule over several keys, which names its key, into one that says where the key is.
  [[nodiscard]] Error located(const Error& error) const {
    const std::string& key = error.subject();
    const std::string what = error.what();
    if (overridden_.contains(key)) return ConfigSource::option(key).error({}, error.message());
    return source_.error(place(key), what);
  }

 private:
  // Calls visit(name, key, value) for every key of a map; refuses keys that are no text and duplicates.
  template <class Visit>
  void for_each_key(const ConfigNode& map, const std::string& what, Visit&& visit) const {
    std::map<std::string, ConfigMark> seen;
    for (const auto& [key, value] : map.fields) {
      if (key.kind != Kind::kPlain && key.kind != Kind::kQuoted) {
        throw source_.error(key.mark, "a " + what + " needs a name");
      }
      const auto [first, fresh] = seen.emplace(key.text, key.mark);
      if (!fresh) {
        throw source_.error(key.mark, "duplicate " + what + " `" + key.text +
                                          "`; it is already given in line " +
                                          std::to_string(first->second.line));
      }
      visit(key.text, key, value);
    }
  }

  void require_map(const ConfigNode& root, const std::string& message) const {
    if (root.kind == Kind::kNull) throw source_.error(root.mark, "is empty; " + message);
    if (root.kind != Kind::kMap) throw source_.error(root.mark, message);
  }

  void read_section(const Schema& section, const ConfigNode& node) {
    // A section whose keys are all commented out keeps its defaults.
    if (node.kind == Kind::kNull) return;
    if (node.kind != Kind::kMap) {
      throw source_.error(node.mark, "section `" + section.name() + "` must be a map of keys and values");
    }
    for_each_key(node, "key", [&](const std::string& name, const ConfigNode& key, const ConfigNode& value) {
      const Field* field = find_field(section, name);
      if (field == nullptr) throw source_.error(key.mark, unknown_key(section, name));
      assign_config_value(*field, full_key(section, name), value, source_);
      marks_.emplace(full_key(section, name), key.mark);
    });
  }

  [[nodiscard]] const Schema* find_section(std::string_view name) const {
    const auto found = std::ranges::find(sections_, name, &Schema::name);
    return found == sections_.end() ? nullptr : &*found;
  }

  // The section that does know the key `name`, when there is one.
  [[nodiscard]] const Schema* home_of(std::string_view name) const {
    const auto found = std::ranges::find_if(
        sections_, [&](const Schema& section) { return find_field(section, name) != nullptr; });
    return found == sections_.end() ? nullptr : &*found;
  }

  [[nodiscard]] std::string unknown_section(const std::string& name) const {
    if (const Schema* home = home_of(name)) {
      return "unknown section `" + name + "`; did you mean the key `" + full_key(*home, name) + "`?";
    }
    std::vector<std::string> names;
    for (const Schema& section : sections_) names.push_back(section.name());
    return "unknown section `" + name + "`" + suggestion(name, names);
  }

  [[nodiscard]] std::string unknown_key(const Schema& section, const std::string& name) const {
    const std::string message = "unknown key `" + name + "` in section `" + section.name() + "`";
    if (name == "<<") return message + "; merge keys are not supported, write each key out";
    if (const Schema* home = home_of(name)) {
      return message + "; did you mean `" + full_key(*home, name) + "`?";
    }
    return message + suggestion(name, field_names(section));
  }

  // Where a key is; of a key that is not in the file, where its section is; else the start of the file.
  [[nodiscard]] ConfigMark place(const std::string& key) const {
    if (const auto found = marks_.find(key); found != marks_.end()) return found->second;
    const auto section = marks_.find(key.substr(0, key.find('.')));
    return section == marks_.end() ? root_ : section->second;
  }

  std::vector<Schema> sections_;
  ConfigSource source_;
  ConfigMark root_;
  std::map<std::string, ConfigMark> marks_;  // of sections ("game") and keys ("game.holes") in the file
  std::set<std::string> overridden_;
};

template <class Config>
void validate_located(const Loader& loader, const Config& config) {
  try {
    validate(config);
  } catch (const Error& error) {
    throw loader.located(error);
  }
}

// The text of a configuration file. A device or an endless file must not be read to its end, so the size is
// looked at first; a pipe is fine.
std::string read_config_file(const std::filesystem::path& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (std::filesystem::is_character_file(status) || std::filesystem::is_block_file(status)) {
    throw request_error(path.string(), "is a device, not a configuration file");
  }
  const auto size = std::filesystem::is_regular_file(status) ? std::filesystem::file_size(path, error) : 0;
  if (!error && size > kMaxConfigBytes) {
    throw request_error(path.string(), "has " + std::to_string(size) +
                                           " bytes; a configuration has at most " +
                                           std::to_string(kMaxConfigBytes));
  }
  return read_file(path);
}

}  // namespace

RunConfig parse_run_config(std::string_view text, const std::string& name,
                           std::span<const std::string> overrides) {
  RunConfig config;
  const ConfigSource source = ConfigSource::file(name);
  Loader loader(describe(config), source);
  loader.read_sections(parse_config_document(text, source));
  for (const std::string& change : overrides) loader.apply_override(change);
  loader.require_keys();
  expand_layout_files(config.game, std::filesystem::path(name).parent_path());
  validate_located(loader, config);
  return config;
}

RunConfig load_run_config(const std::filesystem::path& path, std::span<const std::string> overrides) {
  return parse_run_config(read_config_file(path), path.string(), overrides);
}

GameConfig load_rules(const std::filesystem::path& path) {
  GameConfig rules;
  const ConfigSource source = ConfigSource::file(path.string());
  Loader loader({describe(rules)}, source);
  loader.read_single_section(parse_config_document(read_config_file(path), source));
  loader.require_keys();
  expand_layout_files(rules, path.parent_path());
  validate_located(loader, rules);
  return rules;
}

}  // namespace pahtum
