package dev.vitrine.broker.group.assignor;

import dev.vitrine.protocol.Uuid;

/**
 * The topics that the same members are subscribed to. For the balance they are one: what counts is
 * how many partitions of them each subscriber has, and not which. Work in progress of one
 * assignment, which alone touches it.
 */
final class TopicClass {
  final Uuid[] topics;

  /** By topic, then by partition: the member that was to have it so far, or -1. */
  final int[][] owners;

  /** Members by their index, ascending; the arrays below are by the place in this one. */
  final int[] subscribers;

  /** How many each had. */
  final int[] had;

  /** How many each is to have. */
  final int[] has;

  /** How many nobody has yet. */
  int unowned;

  TopicClass(Uuid[] topics, int[][] owners, int[] subscribers) {
    this.topics = topics;
    this.owners = owners;
    this.subscribers = subscribers;
    this.had = new int[subscribers.length];
    this.has = new int[subscribers.length];
  }

  /** Whether taking a partition from this subscriber moves one that it could have kept. */
  boolean isSticky(int place) {
    return has[place] <= had[place];
  }
}
