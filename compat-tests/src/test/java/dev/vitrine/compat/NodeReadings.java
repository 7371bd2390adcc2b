package dev.vitrine.compat;

import dev.vitrine.broker.observe.PrometheusText;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.management.Attribute;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/**
 * The metrics of one node under the names of docs/METRICS.md: from its page or, of Apache Kafka,
 * from the MBeans that the document names.
 */
interface NodeReadings extends AutoCloseable {
  /**
   * All series of this metric at this moment, by their labels.
   *
   * @param metric as the document has it
   */
  Map<Map<String, String>, Double> read(Documented metric) throws Exception;

  @Override
  void close() throws IOException;

  /** A row of the document. */
  record Documented(String name, String kind, String mbean) {
    static Map<String, Documented> all() throws IOException {
      Map<String, Documented> all = new LinkedHashMap<>();
      Path document = Path.of(System.getProperty("vitrine.root", ".."), "docs", "METRICS.md");
      for (String line : Files.readAllLines(document)) {
        String[] cells = line.split(" \\| ");
        if (line.startsWith("| `") && cells.length == 5) {
          String name = cells[0].replaceAll("[|` ]", "");
          all.put(name, new Documented(name, cells[1], cells[3].replace("`", "")));
        }
      }
      return all;
    }
  }

  static NodeReadings of(ClusterUnderTest cluster, int id) throws Exception {
    return Target.isVitrine() ? new Page(cluster, id) : new Jmx(cluster, id);
  }

  /** {@code GET /metrics}, anew for each reading. */
  final class Page implements NodeReadings {
    private final URI uri;

    Page(ClusterUnderTest cluster, int id) throws IOException {
      String port = Files.readString(cluster.nodeDir(id).resolve("http.port")).strip();
      this.uri = URI.create("http://" + cluster.host(id) + ":" + port + "/metrics");
    }

    PrometheusText text() throws Exception {
      HttpResponse<String> response =
          HttpClient.newHttpClient()
              .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
      if (response.statusCode() != 200) {
        throw new AssertionError(response.statusCode() + " " + response.body());
      }
      return PrometheusText.parse(response.body());
    }

    @Override
    public Map<Map<String, String>, Double> read(Documented metric) throws Exception {
      boolean summary = metric.kind.equals("summary");
      return text().all(summary ? metric.name + "_count" : metric.name);
    }

    @Override
    public void close() {}
  }

  /** The JMX of a JVM on this machine, through its attach socket. */
  final class Jmx implements NodeReadings {
    private final JMXConnector connector;
    private final MBeanServerConnection beans;

    Jmx(ClusterUnderTest cluster, int id) throws Exception {
      var vm = com.sun.tools.attach.VirtualMachine.attach(Long.toString(pid(cluster, id)));
      try {
        connector = JMXConnectorFactory.connect(new JMXServiceURL(vm.startLocalManagementAgent()));
      } finally {
        vm.detach();
      }
      beans = connector.getMBeanServerConnection();
    }

    private static long pid(ClusterUnderTest cluster, int id) {
      String configuration = cluster.logDir(id) + ".properties";
      return ProcessHandle.current()
          .children()
          .filter(p -> List.of(p.info().arguments().orElse(new String[0])).contains(configuration))
          .findFirst()
          .orElseThrow(() -> new AssertionError("no process of " + configuration))
          .pid();
    }

    /** A documented MBean is {@code domain:key=value|*,…} and perhaps an attribute behind it. */
    @Override
    public Map<Map<String, String>, Double> read(Documented metric) throws Exception {
      String[] parts = metric.mbean.split(", ");
      Map<Map<String, String>, Double> series = new LinkedHashMap<>();
      ObjectName pattern = new ObjectName(parts[0]);
      for (ObjectName found : beans.queryNames(pattern, null)) {
        double value = value(found, parts.length == 2 ? parts[1] : null);
        if (!Double.isNaN(value)) {
          series.put(labels(pattern, found), value);
        }
      }
      // Kafka's sum of all topics is an MBean without the key.
      if (parts[0].contains(",topic=*") && metric.mbean.contains("BrokerTopicMetrics")) {
        ObjectName sum = new ObjectName(parts[0].replace(",topic=*", ""));
        if (beans.isRegistered(sum)) {
          series.put(Map.of(), value(sum, null));
        }
      }
      return series;
    }

    private static Map<String, String> labels(ObjectName pattern, ObjectName found) {
      Map<String, String> labels = new TreeMap<>();
      pattern
          .getKeyPropertyList()
          .forEach(
              (key, value) -> {
                if (value.contains("*")) {
                  labels.put(key, found.getKeyProperty(key));
                }
              });
      return labels;
    }

    private double value(ObjectName bean, String attribute) throws Exception {
      List<String> names = attribute == null ? List.of("Count", "Value") : List.of(attribute);
      for (Attribute a : beans.getAttributes(bean, names.toArray(new String[0])).asList()) {
        if (a.getValue() instanceof Number n) {
          return n.doubleValue();
        }
        return 1; // a text, such as the state
      }
      return Double.NaN; // a bean of the same type that tells something else
    }

    @Override
    public void close() throws IOException {
      connector.close();
    }
  }
}
