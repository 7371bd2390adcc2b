package dev.vitrine.broker.api;

import java.util.List;

/** The features of this node and of the cluster, as ApiVersions tells them. Any thread. */
public interface FeatureSource {
  /** What this node can do, such as metadata.version 7 to 33. */
  List<Feature> supported();

  /** What the cluster has agreed on, as of one metadata offset. */
  Finalized finalized();

  /** A feature and a range of its levels. */
  record Feature(String name, short min, short max) {}

  /**
   * The features that the cluster has set.
   *
   * @param epoch the metadata offset, -1 if nothing is known yet
   */
  record Finalized(List<Feature> features, long epoch) {}
}
