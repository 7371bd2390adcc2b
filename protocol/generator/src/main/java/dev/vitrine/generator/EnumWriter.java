package dev.vitrine.generator;

import dev.vitrine.generator.Schema.Kind;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Writes the enums that find a message's classes by its number. */
final class EnumWriter {
  private final List<Schema> schemas;
  private CodeBuffer code = new CodeBuffer();

  EnumWriter(List<Schema> schemas) {
    this.schemas = schemas;
  }

  private List<Schema> all(Predicate<Schema> which) {
    return schemas.stream()
        .filter(which)
        .sorted(Comparator.comparingInt(Schema::apiKey))
        .collect(Collectors.toList());
  }

  private Schema find(Kind kind, String origin, int apiKey) {
    List<Schema> found =
        all(s -> s.kind() == kind && s.origin().equals(origin) && s.apiKey() == apiKey);
    if (found.size() != 1) {
      throw new SchemaException(origin, "", found.size() + " schemas of " + kind + " " + apiKey);
    }
    return found.get(0);
  }

  /** {@code ListOffsetsRequest} without {@code Request} to {@code LIST_OFFSETS}. */
  static String constantName(String name, String suffix) {
    String n = name.endsWith(suffix) ? name.substring(0, name.length() - suffix.length()) : name;
    return n.replaceAll("(?<=[a-z0-9])(?=[A-Z])", "_").toUpperCase(Locale.ROOT);
  }

  private void start(String comment, String name) {
    code = new CodeBuffer();
    code.line("// Generated from Kafka's schemas; not to be edited.");
    code.line("package %s;", ClassWriter.PACKAGE);
    code.line("");
    code.line("import dev.vitrine.protocol.ApiMessage;");
    code.line("import java.util.function.Supplier;");
    code.line("");
    code.line("/** %s */", comment);
    code.open("public enum %s {", name);
  }

  private void forId(String name) {
    code.line("");
    code.line("private static final %s[] BY_ID = byId();", name);
    code.line("");
    code.open("private static %s[] byId() {", name);
    code.line("int highest = 0;");
    code.open("for (%s k : values()) {", name);
    code.line("highest = Math.max(highest, k.id);");
    code.close();
    code.line("%s[] byId = new %s[highest + 1];", name, name);
    code.open("for (%s k : values()) {", name);
    code.line("byId[k.id] = k;");
    code.close();
    code.line("return byId;");
    code.close();
    code.line("");
    code.line("/** Null if there is none of this number. */");
    code.open("public static %s forId(int id) {", name);
    code.line("return id >= 0 && id < BY_ID.length ? BY_ID[id] : null;");
    code.close();
  }

  private void getter(String comment, String type, String name, String value) {
    code.line("");
    if (!comment.isEmpty()) {
      code.line("/** %s */", comment);
    }
    code.open("public %s %s {", type, name);
    code.line("return %s;", value);
    code.close();
  }

  private static String firstFlexible(Schema s) {
    Versions v = s.flexible().intersect(s.versions());
    if (!v.isEmpty() && v.highest() != s.versions().highest()) {
      throw new SchemaException(s.name(), "", "flexible versions must go on to the last");
    }
    return v.isEmpty() ? "Integer.MAX_VALUE" : "" + v.lowest();
  }

  String apiKeys() {
    start("Every API of the protocol: its number, its versions, its messages.", "ApiKeys");
    List<Schema> requests = all(s -> s.kind() == Kind.REQUEST);
    for (int i = 0; i < requests.size(); i++) {
      Schema request = requests.get(i);
      Schema response = find(Kind.RESPONSE, request.origin(), request.apiKey());
      code.open("%s(", constantName(request.name(), "Request"));
      code.line("%d,", request.apiKey());
      code.line("%d,", request.versions().lowest());
      code.line("%d,", request.highestStable());
      code.line("%s,", firstFlexible(request));
      code.line("%s,", firstFlexible(response));
      code.line(
          "%s, %s,",
          request.listeners().contains("broker"), request.listeners().contains("controller"));
      code.line("%s::new,", request.name());
      code.line("%s::new)%s", response.name(), i + 1 < requests.size() ? "," : ";");
      code.outdent();
    }
    code.line("");
    String[] fields = {
      "short id",
      "short lowestVersion",
      "short highestVersion",
      "int flexibleRequest",
      "int flexibleResponse",
      "boolean onBroker",
      "boolean onController",
      "Supplier<ApiMessage> request",
      "Supplier<ApiMessage> response"
    };
    for (String f : fields) {
      code.line("private final %s;", f);
    }
    code.line("");
    String parameters = String.join(", ", fields).replace("short ", "int ");
    code.open("ApiKeys(%s) {", parameters);
    for (String f : fields) {
      String type = f.substring(0, f.indexOf(' '));
      String name = f.substring(f.indexOf(' ') + 1);
      code.line("this.%s = %s%s;", name, type.equals("short") ? "(short) " : "", name);
    }
    code.close();
    forId("ApiKeys");
    getter("The number in the request header.", "short", "id()", "id");
    getter("The lowest version of the schema.", "short", "lowestVersion()", "lowestVersion");
    getter(
        "The highest version of the schema that is stable; below the lowest if there is none.",
        "short",
        "highestVersion()",
        "highestVersion");
    getter("Served on a broker's listeners.", "boolean", "isBrokerApi()", "onBroker");
    getter("Served on a controller's listeners.", "boolean", "isControllerApi()", "onController");
    getter(
        "The version of the request header before a body of this version.",
        "short",
        "requestHeaderVersion(short version)",
        "(short) (version >= flexibleRequest ? 2 : 1)");
    getter(
        "The same for a response. ApiVersions always has the oldest, since a client that asks for"
            + " versions can read no other yet.",
        "short",
        "responseHeaderVersion(short version)",
        "(short) (version >= flexibleResponse && this != API_VERSIONS ? 1 : 0)");
    getter("", "ApiMessage", "newRequest()", "request.get()");
    getter("", "ApiMessage", "newResponse()", "response.get()");
    code.close();
    return code.toString();
  }

  /** The records of the cluster metadata log. */
  String metadataRecordType(String origin) {
    start("The records of {@code __cluster_metadata}.", "MetadataRecordType");
    List<Schema> records = all(s -> s.kind() == Kind.METADATA && s.origin().equals(origin));
    for (int i = 0; i < records.size(); i++) {
      Schema r = records.get(i);
      code.line(
          "%s(%d, %d, %d, %s::new)%s",
          constantName(r.name(), ""),
          r.apiKey(),
          r.versions().lowest(),
          r.versions().highest(),
          r.name(),
          i + 1 < records.size() ? "," : ";");
    }
    recordType("MetadataRecordType", new String[] {"record"});
    getter("", "ApiMessage", "newRecord()", "record.get()");
    code.close();
    return code.toString();
  }

  /** The keys and values of the offsets topic. */
  String coordinatorRecordType(String origin) {
    start(
        "The records of {@code __consumer_offsets}; the number is the version before the key.",
        "CoordinatorRecordType");
    List<Schema> keys = all(s -> s.kind() == Kind.COORDINATOR_KEY && s.origin().equals(origin));
    for (int i = 0; i < keys.size(); i++) {
      Schema key = keys.get(i);
      Schema value = find(Kind.COORDINATOR_VALUE, origin, key.apiKey());
      code.line(
          "%s(%d, %d, %d, %s::new, %s::new)%s",
          constantName(key.name(), "Key"),
          key.apiKey(),
          value.versions().lowest(),
          value.versions().highest(),
          key.name(),
          value.name(),
          i + 1 < keys.size() ? "," : ";");
    }
    recordType("CoordinatorRecordType", new String[] {"key", "value"});
    getter("", "ApiMessage", "newKey()", "key.get()");
    getter("", "ApiMessage", "newValue()", "value.get()");
    code.close();
    return code.toString();
  }

  private void recordType(String name, String[] suppliers) {
    code.line("");
    code.line("private final short id;");
    code.line("private final short lowestVersion;");
    code.line("private final short highestVersion;");
    StringBuilder parameters = new StringBuilder("int id, int lowestVersion, int highestVersion");
    for (String s : suppliers) {
      code.line("private final Supplier<ApiMessage> %s;", s);
      parameters.append(", Supplier<ApiMessage> ").append(s);
    }
    code.line("");
    code.open("%s(%s) {", name, parameters);
    code.line("this.id = (short) id;");
    code.line("this.lowestVersion = (short) lowestVersion;");
    code.line("this.highestVersion = (short) highestVersion;");
    for (String s : suppliers) {
      code.line("this.%s = %s;", s, s);
    }
    code.close();
    forId(name);
    getter("", "short", "id()", "id");
    getter("", "short", "lowestVersion()", "lowestVersion");
    getter("", "short", "highestVersion()", "highestVersion");
  }
}
