package dev.vitrine.broker.control;

import dev.vitrine.broker.api.FeatureSource;
import dev.vitrine.controller.ControllerConfig;
import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.quorum.QuorumConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** The features of this code and of the cluster, from the newest image. Any thread. */
public final class ClusterFeatures implements FeatureSource {
  private final Supplier<MetadataImage> metadata;
  private final Supplier<Short> kraftVersion;

  /**
   * @param kraftVersion that of the metadata log, which the image does not hold
   */
  public ClusterFeatures(Supplier<MetadataImage> metadata, Supplier<Short> kraftVersion) {
    this.metadata = metadata;
    this.kraftVersion = kraftVersion;
  }

  @Override
  public List<Feature> supported() {
    List<Feature> all = new ArrayList<>();
    ControllerConfig.supportedFeatures()
        .forEach((name, range) -> all.add(new Feature(name, range.min(), range.max())));
    return all;
  }

  @Override
  public Finalized finalized() {
    MetadataImage image = metadata.get();
    List<Feature> all = new ArrayList<>();
    image.features().levels().forEach((name, level) -> all.add(new Feature(name, level, level)));
    short kraft = kraftVersion.get();
    if (kraft > 0) {
      all.add(new Feature(QuorumConfig.KRAFT_VERSION, kraft, kraft));
    }
    return new Finalized(all, image.offset());
  }
}
