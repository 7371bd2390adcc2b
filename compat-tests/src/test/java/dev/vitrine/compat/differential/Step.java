package dev.vitrine.compat.differential;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;

/** One thing that a script does on both sides; {@code line} is where it stands. A value. */
sealed interface Step {
  int line();

  /**
   * A request, in each of its versions.
   *
   * @param api the schema's name, {@code Fetch}
   * @param versions as written: {@code all}, {@code latest}, {@code v}, {@code 0,3-5}
   * @param connection its name
   * @param how what else is said of it
   */
  record Request(
      int line, String api, String versions, String connection, ObjectNode body, Options how)
      implements Step {}

  /**
   * @param header fields of the request's header that are not as usual
   * @param captures name to path: what later steps may use
   * @param until path to value: the request is repeated until the answer holds this
   * @param closes the versions in which the connection is closed instead of an answer; empty for
   *     none
   * @param silent nothing is answered
   * @param name by which exceptions know it; empty for none
   * @param later the answer is awaited by an {@link Await}
   */
  record Options(
      ObjectNode header,
      Map<String, String> captures,
      Map<String, JsonNode> until,
      String closes,
      boolean silent,
      boolean later,
      String name) {}

  /** The answer to a request that was sent {@code later}. */
  record Await(int line, String connection, Map<String, String> captures) implements Step {}

  /**
   * Bytes that no encoder would write.
   *
   * @param framed with a length in front
   * @param answer the API and version of the answer that is expected; empty if the connection is
   *     closed
   */
  record Bytes(int line, String connection, boolean framed, String hex, List<String> answer)
      implements Step {}

  record Close(int line, String connection) implements Step {}

  record Let(int line, String name, String value) implements Step {}

  /** A topic of this script's own, there and led when the step is done. */
  record Topic(int line, String name, int partitions, Map<String, String> configs)
      implements Step {}

  /** A group of this script's own, whose coordinator is there and loaded. */
  record Group(int line, String name) implements Step {}
}
