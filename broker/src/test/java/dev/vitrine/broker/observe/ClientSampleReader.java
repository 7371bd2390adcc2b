package dev.vitrine.broker.observe;

import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/** What a source tells of clients, by name; of several series of a name, their sum. */
public final class ClientSampleReader {
  private ClientSampleReader() {}

  public static Map<String, Double> values(Consumer<Sample> source) {
    Sample sample = new Sample();
    source.accept(sample);
    Map<String, Double> values = new TreeMap<>();
    sample.forEachOfClients(
        (name, family) ->
            values.put(name, family.series().values().stream().mapToDouble(v -> v).sum()));
    return values;
  }
}
