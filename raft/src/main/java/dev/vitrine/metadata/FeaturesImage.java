package dev.vitrine.metadata;

import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.message.FeatureLevelRecord;
import java.util.List;
import org.pcollections.PMap;
import org.pcollections.TreePMap;

/** The finalised feature levels by name; a feature at level 0 is not in it. Immutable. */
public record FeaturesImage(PMap<String, Short> levels) {
  /** The feature that says which records the metadata log may hold. */
  public static final String METADATA_VERSION = "metadata.version";

  /** From level 1 on there are eligible leader replicas (KIP-966). */
  public static final String ELR_VERSION = "eligible.leader.replicas.version";

  /** From level 1 on there are groups of the consumer protocol (KIP-848). */
  public static final String GROUP_VERSION = "group.version";

  static final FeaturesImage EMPTY = new FeaturesImage(TreePMap.empty());

  /** The finalised level, 0 if it is not finalised. */
  public short level(String feature) {
    Short level = levels.get(feature);
    return level == null ? 0 : level;
  }

  public short metadataVersion() {
    return level(METADATA_VERSION);
  }

  /** Whether there are eligible leader replicas (KIP-966). */
  public boolean hasElr() {
    return level(ELR_VERSION) >= 1;
  }

  FeaturesImage with(FeatureLevelRecord r) {
    return new FeaturesImage(
        r.featureLevel() == 0 ? levels.minus(r.name()) : levels.plus(r.name(), r.featureLevel()));
  }

  /** The metadata version comes first: it says how to read the rest. */
  void addRecords(List<ApiMessage> to) {
    if (levels.containsKey(METADATA_VERSION)) {
      to.add(record(METADATA_VERSION, metadataVersion()));
    }
    levels.forEach(
        (name, level) -> {
          if (!name.equals(METADATA_VERSION)) {
            to.add(record(name, level));
          }
        });
  }

  private static FeatureLevelRecord record(String name, short level) {
    return new FeatureLevelRecord().name(name).featureLevel(level);
  }
}
