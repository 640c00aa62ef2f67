// A value against a schema of an OpenAPI file: as much of the language as our file uses.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace dovetail::testing {

class JsonSchemas {
 public:
  using Json = nlohmann::ordered_json;
  explicit JsonSchemas(const Json& document) : document_(document) {}

  // What does not fit, and where; empty when all does.
  std::string mismatch(const Json& value, const Json& schema, const std::string& at = "$") const {
    if (schema.contains("$ref")) {
      const std::string pointer = schema["$ref"].get<std::string>().substr(1);
      return mismatch(value, document_.at(Json::json_pointer(pointer)), at);
    }
    if (schema.contains("oneOf")) return mismatch_of_all(value, schema["oneOf"], at);
    if (schema.contains("type") && !is_of_type(value, schema["type"])) {
      return at + ": not of type " + schema["type"].get<std::string>();
    }
    if (schema.contains("enum") &&
        std::ranges::find(schema["enum"], value) == schema["enum"].end()) {
      return at + ": none of those that are known";
    }
    if (value.is_array() && schema.contains("items")) {
      for (std::size_t i = 0; i < value.size(); ++i) {
        const auto wrong = mismatch(value[i], schema["items"], at + "/" + std::to_string(i));
        if (!wrong.empty()) return wrong;
      }
    }
    return value.is_object() ? mismatch_of_fields(value, schema, at) : "";
  }

 private:
  std::string mismatch_of_all(const Json& value, const Json& schemas, const std::string& at) const {
    std::string all;
    for (const Json& schema : schemas) {
      const std::string wrong = mismatch(value, schema, at);
      if (wrong.empty()) return {};
      all += wrong + "; ";
    }
    return all;
  }

  std::string mismatch_of_fields(const Json& value, const Json& schema,
                                 const std::string& at) const {
    const Json none = Json::object();
    const Json& known = schema.contains("properties") ? schema["properties"] : none;
    if (schema.contains("required")) {
      for (const Json& name : schema["required"]) {
        if (!value.contains(name.get<std::string>())) {
          return at + "/" + name.get<std::string>() + ": is missing";
        }
      }
    }
    for (const auto& [name, field] : value.items()) {
      if (known.contains(name)) {
        const std::string wrong = mismatch(field, known[name], at + "/" + name);
        if (!wrong.empty()) return wrong;
      } else if (schema.value("additionalProperties", true) == false) {
        return at + "/" + name + ": is not in the file";
      }
    }
    return {};
  }

  static bool is_of_type(const Json& value, const std::string& type) {
    if (type == "object") return value.is_object();
    if (type == "array") return value.is_array();
    if (type == "string") return value.is_string();
    if (type == "integer") return value.is_number_integer();
    if (type == "number") return value.is_number();
    return type == "boolean" && value.is_boolean();
  }

  const Json& document_;
};

}  // namespace dovetail::testing
