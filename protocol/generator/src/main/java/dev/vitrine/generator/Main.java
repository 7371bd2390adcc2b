package dev.vitrine.generator;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The generator, run by the build of {@code protocol/messages}: Kafka's message schemas in, Java
 * classes out. The walk is parse → model → write:
 *
 * <ol>
 *   <li>{@link SchemaParser} reads one JSON file and checks it;
 *   <li>{@link Schema}, {@link Struct}, {@link Field}, {@link FieldType} and {@link Versions} are
 *       the model: values that know nothing of JSON and little of Java;
 *   <li>{@link ClassWriter} writes a message's class, with {@link WriteCode}, {@link ReadCode} and
 *       {@link JsonCode} for its three crafts, each asking {@link StructContext} in which versions
 *       a field is what; {@link EnumWriter} writes the enums over all messages.
 * </ol>
 *
 * <p>Files whose text would not change are left alone, so that the compiler has nothing to do;
 * files that nothing was written to are deleted. It must never write anything that depends on the
 * order of a directory listing.
 */
public final class Main {
  private static final String METADATA = "kafka-metadata";
  private static final String GROUPS = "kafka-group-coordinator";

  private Main() {}

  /**
   * @param args the folder with one folder of schemas for each jar; the folder to write to
   */
  public static void main(String[] args) throws IOException {
    if (args.length != 2) {
      throw new IllegalArgumentException("wanted: SCHEMAS OUTPUT");
    }
    List<Schema> schemas = read(Path.of(args[0]));
    if (schemas.isEmpty()) {
      throw new IllegalArgumentException("no schemas in " + args[0]);
    }
    Map<String, String> classes = new HashMap<>();
    for (Schema s : schemas) {
      if (classes.put(s.name(), ClassWriter.write(s)) != null) {
        throw new SchemaException(s.origin(), "", "a second message named " + s.name());
      }
    }
    EnumWriter enums = new EnumWriter(schemas);
    classes.put("ApiKeys", enums.apiKeys());
    classes.put("MetadataRecordType", enums.metadataRecordType(METADATA));
    classes.put("CoordinatorRecordType", enums.coordinatorRecordType(GROUPS));
    write(classes, Path.of(args[1]).resolve(ClassWriter.PACKAGE.replace('.', '/')));
  }

  private static List<Schema> read(Path root) throws IOException {
    List<Schema> schemas = new ArrayList<>();
    try (Stream<Path> files = Files.walk(root)) {
      for (Path file :
          files.filter(f -> f.toString().endsWith(".json")).sorted().collect(Collectors.toList())) {
        Path relative = root.relativize(file);
        Schema s =
            SchemaParser.parse(
                relative.toString(), relative.getName(0).toString(), Files.readString(file));
        if (s != null) {
          schemas.add(s);
        }
      }
    }
    return schemas;
  }

  private static void write(Map<String, String> classes, Path folder) throws IOException {
    Files.createDirectories(folder);
    Set<Path> kept = new HashSet<>();
    for (Map.Entry<String, String> c : classes.entrySet()) {
      Path file = folder.resolve(c.getKey() + ".java");
      kept.add(file);
      if (!Files.exists(file) || !Files.readString(file).equals(c.getValue())) {
        Files.writeString(file, c.getValue());
      }
    }
    try (Stream<Path> files = Files.list(folder)) {
      files
          .filter(f -> !kept.contains(f))
          .forEach(
              f -> {
                try {
                  Files.delete(f);
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              });
    }
  }
}
