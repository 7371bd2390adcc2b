package dev.vitrine.compat.chaos;

import java.util.List;
import org.apache.kafka.common.TopicPartition;

/**
 * One line of a history: what a client asked, what it was told, what was done to a node. What asks
 * is written down before the call and what was told after it, so that an earlier line really was
 * earlier. A {@code call} is the number of the line that asked. Strings have no tabs and no line
 * breaks.
 *
 * <p>Each record is a kind of line; {@link EventLine} finds its components by reflection, so a
 * component may be a string, a boolean, an int, a long, a partition, or a list of {@link Item}s.
 */
public sealed interface Event {
  /** An offset and what is there. */
  record Item(long offset, String value) {}

  /** The first line: what ran. */
  record Run(String target, long seed, String settings) implements Event {}

  /** What follows belongs to this phase. */
  record Phase(String name) implements Event {}

  /**
   * @param nodes numbers with commas; empty if a whole cluster is meant
   * @param detail such as a delay in ms
   */
  record FaultBegun(int number, String kind, String nodes, String detail) implements Event {}

  /** What who did it said of it, such as what a power cut has taken. */
  record FaultSaid(int number, String text) implements Event {}

  record FaultEnded(int number, String kind) implements Event {}

  /** A fault of the schedule that the rules forbade while there was time for it. */
  record FaultLeftOut(int number, String kind, String why) implements Event {}

  /** A record handed to a producer. No value is ever sent twice. */
  record Sent(String client, TopicPartition partition, String value) implements Event {}

  /** The record of that call is in the log, the client was told, at this offset. */
  record Acknowledged(long call, long offset) implements Event {}

  /**
   * @param certain that it had no effect; else it may have had one, or still have one
   */
  record Failed(long call, boolean certain, String error) implements Event {}

  /** What was asked for was done; where there is nothing more to tell. */
  record Done(long call) implements Event {}

  /** A reader; {@code group} is empty if it is in none. */
  record ReaderStarted(String client, String group) implements Event {}

  /** From here on the client reads this partition from this offset. */
  record Positioned(String client, TopicPartition partition, long offset, String why)
      implements Event {}

  /** What a poll returned of one partition, in its order. */
  record Polled(String client, TopicPartition partition, List<Item> items) implements Event {}

  /** A reader was told that what it has read is not, or no more, in the log. */
  record ReaderThrown(String client, TopicPartition partition, String error) implements Event {}

  record EndAsked(String client, TopicPartition partition) implements Event {}

  /** The answer to {@link EndAsked}: for a reader, the log ends here. */
  record EndTold(long call, long offset) implements Event {}

  record CommitSent(String client, String group, TopicPartition partition, long offset)
      implements Event {}

  record CommitAsked(String client, String group, TopicPartition partition) implements Event {}

  /**
   * A member is told that this partition is its own.
   *
   * @param protocol of the group: classic or consumer (KIP-848)
   * @param memberId what the coordinator calls the client
   * @param generation or, in a group of the consumer protocol, the member's epoch
   */
  record Owned(
      String client,
      String group,
      String protocol,
      String memberId,
      int generation,
      TopicPartition partition)
      implements Event {}

  /**
   * A member gives a partition up.
   *
   * @param lost whether it was told that it is its own no more; else it was asked to give it up
   */
  record Released(String client, String group, TopicPartition partition, boolean lost)
      implements Event {}

  /** The answer to {@link CommitAsked}; -1 if there is none. */
  record CommitTold(long call, long offset) implements Event {}

  /** A topic is to be made with, or to grow to, so many partitions. */
  record TopicAsked(String client, String topic, int partitions) implements Event {}

  record ElectionAsked(String client, String topic) implements Event {}

  /** In the end: one client has read the whole partition. */
  record ReadWhole(String client, TopicPartition partition, List<Item> items) implements Event {}

  /**
   * In the end: what a node has on its disk, a batch an item: its last offset; leader epoch,
   * producer's id, epoch and first sequence number, and CRC.
   */
  record OnDisk(int node, TopicPartition partition, List<Item> batches) implements Event {}

  /** In the end: what the cluster says of a topic. */
  record TopicFound(String topic, int partitions) implements Event {}

  /** In the end: what the coordinator says of a group; -1 if it has no offset. */
  record CommitFound(String group, TopicPartition partition, long offset) implements Event {}

  /** After the faults: this has come true after so long. */
  record Recovered(String what, long ms) implements Event {}

  /** After the faults: this has not come true although it was waited for so long. */
  record Stuck(String what, long ms) implements Event {}
}
