package dev.vitrine.broker.group;

/** What a member's request changes about its pattern for topics. */
enum RegexStatus {
  SAME,

  /** It has another one, which is still to be resolved. */
  UPDATED,

  /** It has another one or none, and what that matches is known. */
  UPDATED_AND_RESOLVED;

  boolean isUpdated() {
    return this != SAME;
  }
}
