package dev.vitrine.broker.fault;

import dev.vitrine.broker.net.HttpAnswer;
import dev.vitrine.broker.net.HttpQuestion;
import dev.vitrine.broker.net.HttpService;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.message.ApiKeys;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Breaks this node, and says how it is broken:
 *
 * <pre>
 *   GET  /faults                     a line for each fault
 *   POST /faults/slow?delay=MS       everything is late by that; 0 ends it
 *   POST /faults/cuts                the cut links, all of them, in the body: see {@link CutLines}
 *   POST /faults/api?api=PRODUCE     a fault of an API; besides topic, group, client (which requests),
 *                                    delay=MS, error=NAME or drop=request or drop=answer, times=N
 *   POST /faults/api/clear           no more of those; api=NAME for one API
 * </pre>
 *
 * On the thread of HTTP.
 */
public final class FaultService implements HttpService {
  private static final Logger LOG = LoggerFactory.getLogger(FaultService.class);

  private final FaultNetwork network;
  private final ApiFaults apis;

  public FaultService(FaultNetwork network, ApiFaults apis) {
    this.network = network;
    this.apis = apis;
  }

  @Override
  public void answer(HttpQuestion question, Consumer<HttpAnswer> answer) {
    answer.accept(answer(question));
  }

  private HttpAnswer answer(HttpQuestion question) {
    String path = question.method() + " " + question.path();
    Map<String, String> parameters = question.parameters();
    switch (path) {
      case "GET /faults" -> only(parameters, Set.of());
      case "POST /faults/slow" -> {
        only(parameters, Set.of("delay"));
        slow(number(parameters, "delay", LinkFaults.MAX_DELAY_MS, -1));
      }
      case "POST /faults/cuts" -> {
        only(parameters, Set.of());
        cuts(question.body());
      }
      case "POST /faults/api" -> addFault(parameters);
      case "POST /faults/api/clear" -> {
        only(parameters, Set.of("api"));
        apis.clear(parameters.containsKey("api") ? api(parameters) : null);
        LOG.warn("Fault points cleared");
      }
      default -> {
        return isKnown(question.path()) ? new HttpAnswer(405, "not with this method\n") : null;
      }
    }
    return HttpAnswer.done(list());
  }

  private static boolean isKnown(String path) {
    return Set.of("/faults", "/faults/slow", "/faults/cuts", "/faults/api", "/faults/api/clear")
        .contains(path);
  }

  private String list() {
    StringBuilder text = new StringBuilder();
    LinkFaults now = network.faults();
    if (now.delayMs() > 0) {
      text.append("slow ").append(now.delayMs()).append(" ms\n");
    }
    now.cuts()
        .forEach((id, cut) -> text.append("cut ").append(CutLines.line(id, cut)).append('\n'));
    apis.list().forEach(f -> text.append("fault ").append(f.describe()).append('\n'));
    return text.toString();
  }

  private void slow(long delayMs) {
    synchronized (network) {
      network.set(network.faults().withDelay(delayMs));
    }
    LOG.warn("Slowed down by {} ms", delayMs);
  }

  private void cuts(String lines) {
    Map<Integer, LinkFaults.Cut> cuts = CutLines.read(lines);
    synchronized (network) {
      network.set(network.faults().withCuts(cuts));
    }
    LOG.warn("Cut off from nodes {}", cuts.keySet());
  }

  private void addFault(Map<String, String> parameters) {
    only(parameters, Set.of("api", "topic", "group", "client", "delay", "error", "drop", "times"));
    ApiFault.Match match =
        new ApiFault.Match(
            api(parameters),
            parameters.get("topic"),
            parameters.get("group"),
            parameters.get("client"));
    long delay = number(parameters, "delay", LinkFaults.MAX_DELAY_MS, 0);
    int times = (int) number(parameters, "times", Integer.MAX_VALUE, 0);
    Errors error = parameters.containsKey("error") ? error(parameters.get("error")) : null;
    ApiFault.Outcome outcome = outcome(parameters.get("drop"), error);
    if (outcome == ApiFault.Outcome.HANDLE && delay == 0) {
      throw new IllegalArgumentException("what is to happen? error, delay or drop says it");
    }
    AtomicInteger left = new AtomicInteger(times == 0 ? -1 : times);
    apis.add(id -> new ApiFault(id, match, delay, outcome, error, left));
    apis.list().forEach(f -> LOG.warn("Fault point: {}", f.describe()));
  }

  private static ApiFault.Outcome outcome(String drop, Errors error) {
    if (drop == null) {
      return error == null ? ApiFault.Outcome.HANDLE : ApiFault.Outcome.ERROR;
    }
    if (error != null) {
      throw new IllegalArgumentException("error and drop exclude each other");
    }
    return switch (drop) {
      case "request" -> ApiFault.Outcome.DROP;
      case "answer" -> ApiFault.Outcome.DROP_ANSWER;
      default -> throw new IllegalArgumentException("drop is request or answer, not " + drop);
    };
  }

  private static ApiKeys api(Map<String, String> parameters) {
    String name = parameters.getOrDefault("api", "");
    for (ApiKeys api : ApiKeys.values()) {
      if (api.name().equals(name.toUpperCase(Locale.ROOT).replace('-', '_'))) {
        return api;
      }
    }
    throw new IllegalArgumentException("there is no API " + name);
  }

  private static Errors error(String name) {
    for (Errors error : Errors.values()) {
      if (error != Errors.NONE && error.name().equals(name.toUpperCase(Locale.ROOT))) {
        return error;
      }
    }
    throw new IllegalArgumentException("there is no error " + name);
  }

  /** Zero to {@code most}; {@code otherwise}, unless that is negative, when it is not given. */
  private static long number(
      Map<String, String> parameters, String name, long most, long otherwise) {
    String text = parameters.get(name);
    if (text == null && otherwise >= 0) {
      return otherwise;
    }
    if (text == null || !text.matches("\\d{1,10}") || Long.parseLong(text) > most) {
      throw new IllegalArgumentException(name + " is from 0 to " + most + ", not " + text);
    }
    return Long.parseLong(text);
  }

  private static void only(Map<String, String> parameters, Set<String> known) {
    for (String name : parameters.keySet()) {
      if (!known.contains(name)) {
        throw new IllegalArgumentException("there is no parameter " + name + " here");
      }
    }
  }
}
