package dev.vitrine.compat.clients;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.vitrine.compat.ClusterUnderTest;
import dev.vitrine.compat.LocalCluster;
import dev.vitrine.compat.Target;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What stock clients of several languages and years can do is what {@code docs/CLIENTS.md} says.
 * {@code -Dmatrix.steps=all} takes all steps, {@code -Dmatrix.clients=NAME,...} some of the
 * clients; with {@code -Dclients.required=true} none may be missing on this machine.
 */
@Tag("smoke")
class ClientMatrixTest {
  private static final Map<String, Map<String, Cell>> COLUMNS = new LinkedHashMap<>();
  private static final Map<String, String> MISSING = new LinkedHashMap<>();
  private static ExpectedTable expected;

  @BeforeAll
  static void run() throws Exception {
    Path document = Path.of(System.getProperty("vitrine.root", ".."), "docs", "CLIENTS.md");
    expected = ExpectedTable.read(document, Target.isVitrine());
    List<MatrixClient> present = new ArrayList<>();
    for (MatrixClient client : chosen()) {
      client
          .missing()
          .ifPresentOrElse(why -> MISSING.put(client.name(), why), () -> present.add(client));
    }
    boolean all = System.getProperty("matrix.steps", "some").equals("all");
    List<Step> steps = all ? Steps.all() : Steps.some();
    try (ClusterUnderTest cluster = LocalCluster.start("client-matrix", 3, config(all))) {
      COLUMNS.putAll(ClientMatrix.run(cluster.bootstrap(), present, steps));
    }
    System.out.print(MatrixReport.of(Target.chosen().name(), steps, COLUMNS));
    MISSING.forEach((client, why) -> System.out.println("clients: " + client + " SKIPPED: " + why));
  }

  /** The longer run with several shards, the shorter one with what is the default here. */
  private static Map<String, String> config(boolean all) {
    return all && Target.isVitrine() ? Map.of("vitrine.shards", "3") : Map.of();
  }

  private static List<MatrixClient> chosen() {
    String names = System.getProperty("matrix.clients", "");
    return ClientMatrix.clients().stream()
        .filter(client -> names.isEmpty() || List.of(names.split(",")).contains(client.name()))
        .toList();
  }

  static Stream<String> names() {
    return chosen().stream().map(MatrixClient::name);
  }

  @ParameterizedTest
  @MethodSource("names")
  void doesWhatItDoesWithKafka(String client) {
    if (MISSING.containsKey(client)) {
      String why = client + " is not tried: " + MISSING.get(client);
      if (Boolean.getBoolean("clients.required")) {
        fail(why);
      }
      assumeTrue(false, why);
    }
    Map<String, String> cells = new LinkedHashMap<>();
    COLUMNS.get(client).forEach((step, cell) -> cells.put(step, cell.text()));
    Map<String, String> wanted = new LinkedHashMap<>(expected.column(client));
    wanted.keySet().retainAll(cells.keySet());
    assertEquals(lines(wanted), lines(cells));
  }

  private static String lines(Map<String, String> column) {
    StringBuilder text = new StringBuilder();
    column.forEach((step, cell) -> text.append(step).append(": ").append(cell).append('\n'));
    return text.toString();
  }

  @Test
  void theDocumentHasTheseStepsAndClients() {
    assertEquals(Steps.all().stream().map(Step::name).toList(), expected.steps());
    assertEquals(
        ClientMatrix.clients().stream().map(MatrixClient::name).toList(), expected.clients());
  }
}
