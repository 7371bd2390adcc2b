package dev.vitrine.broker.fault;

import dev.vitrine.broker.fault.LinkFaults.Cut;
import dev.vitrine.seam.Endpoint;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The cut links of one node, a line each: the other node's id, what gets lost ({@code both}, {@code
 * sent}, {@code received}), and the other's listeners. So they stand in the file {@value #FILE} of
 * the node's folder, from which it takes them when it starts, and so they are told to it.
 */
public final class CutLines {
  public static final String FILE = "cuts";
  private static final Pattern LINE =
      Pattern.compile("(\\d{1,9}) (both|sent|received)((?: [A-Za-z0-9.:-]+:\\d{1,5})+)");

  private CutLines() {}

  /**
   * @throws IllegalArgumentException naming the first line that is none
   */
  public static Map<Integer, Cut> read(String text) {
    Map<Integer, Cut> cuts = new TreeMap<>();
    for (String line : text.lines().filter(l -> !l.isBlank()).toList()) {
      Matcher m = LINE.matcher(line.strip());
      if (!m.matches()) {
        throw new IllegalArgumentException(
            "not a cut link: " + line + " (it is: ID both|sent|received HOST:PORT...)");
      }
      List<Endpoint> endpoints = new ArrayList<>();
      for (String at : m.group(3).strip().split(" ")) {
        int colon = at.lastIndexOf(':');
        endpoints.add(
            new Endpoint(at.substring(0, colon), Integer.parseInt(at.substring(colon + 1))));
      }
      String lost = m.group(2);
      cuts.put(
          Integer.parseInt(m.group(1)),
          new Cut(!lost.equals("received"), !lost.equals("sent"), endpoints));
    }
    return cuts;
  }

  public static String line(int id, Cut cut) {
    String lost = cut.sends() ? cut.receives() ? "both" : "sent" : "received";
    return cut.endpoints().stream()
        .map(e -> e.host() + ":" + e.port())
        .collect(Collectors.joining(" ", id + " " + lost + " ", ""));
  }
}
