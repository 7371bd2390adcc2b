package dev.vitrine.compat.clients;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** All clients against one cluster, two at a time, each through all steps in their order. */
final class ClientMatrix {
  /** After which a client has failed, and is not asked again. */
  static final int SECONDS_FOR_A_COMMAND = 60;

  private static final int AT_A_TIME = 2;

  private ClientMatrix() {}

  /** In the order of the columns. */
  static List<MatrixClient> clients() {
    List<MatrixClient> clients = new ArrayList<>();
    for (String version :
        List.of("0.10.2.2", "0.11.0.3", "1.1.1", "2.1.1", "2.8.2", "3.9.2", "4.0.2", "4.4.0")) {
      clients.add(new JavaClient(version));
    }
    clients.add(new KcatClient());
    clients.addAll(PythonClients.all());
    clients.addAll(NpmClients.all());
    return clients;
  }

  /** Where what a client prints goes. */
  static Path log(MatrixClient client) {
    return logs().resolve(Trial.slug(client) + ".log");
  }

  private static Path logs() {
    Path folder =
        Path.of("target", "clients", "logs-" + System.getProperty("target", "vitrine"))
            .toAbsolutePath();
    try {
      return Files.createDirectories(folder);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * @return for each client, in their order, the cell of each step
   */
  static Map<String, Map<String, Cell>> run(
      String bootstrap, List<MatrixClient> clients, List<Step> steps) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(AT_A_TIME);
    try (Witness witness = new Witness(bootstrap)) {
      witness.prepare();
      for (MatrixClient client : clients) {
        witness.prepareFor(Trial.slug(client));
      }
      Map<String, Future<Map<String, Cell>>> running = new LinkedHashMap<>();
      for (MatrixClient client : clients) {
        running.put(client.name(), threads.submit(() -> column(client, bootstrap, steps, witness)));
      }
      Map<String, Map<String, Cell>> columns = new LinkedHashMap<>();
      for (Map.Entry<String, Future<Map<String, Cell>>> entry : running.entrySet()) {
        columns.put(entry.getKey(), entry.getValue().get());
      }
      return columns;
    } finally {
      threads.shutdownNow();
    }
  }

  private static Map<String, Cell> column(
      MatrixClient client, String bootstrap, List<Step> steps, Witness witness) throws Exception {
    Map<String, Cell> cells = new LinkedHashMap<>();
    try (ClientSession session = client.open(bootstrap)) {
      Trial trial = Trial.of(client, session, witness, logs());
      for (Step step : steps) {
        cells.put(step.name(), step.run(trial));
      }
    }
    return cells;
  }
}
