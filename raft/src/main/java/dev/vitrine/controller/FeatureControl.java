package dev.vitrine.controller;

import dev.vitrine.metadata.BrokerRegistration;
import dev.vitrine.metadata.ControllerRegistration;
import dev.vitrine.metadata.FeaturesImage;
import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.metadata.VersionRange;
import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.message.BeginTransactionRecord;
import dev.vitrine.protocol.message.EndTransactionRecord;
import dev.vitrine.protocol.message.FeatureLevelRecord;
import dev.vitrine.protocol.message.NoOpRecord;
import dev.vitrine.protocol.message.UpdateFeaturesRequest;
import dev.vitrine.protocol.message.UpdateFeaturesRequest.FeatureUpdateKey;
import dev.vitrine.protocol.message.UpdateFeaturesResponse;
import dev.vitrine.protocol.message.UpdateFeaturesResponse.UpdatableFeatureResult;
import dev.vitrine.quorum.QuorumConfig;
import dev.vitrine.quorum.RaftClient;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * UpdateFeatures v0-2, and what the first controller writes into an empty log. All updates of a
 * request succeed, or none does. On the quorum loop.
 */
final class FeatureControl {
  private static final byte UPGRADE = 1;
  private static final byte SAFE_DOWNGRADE = 2;
  private static final byte UNSAFE_DOWNGRADE = 3;
  private static final int FIRST_VERSION_WITH_TRANSACTIONS = 13;
  private static final short FIRST_VERSION_WITH_ELR = 23;

  /** Metadata versions that brought records or fields: there is no way back from behind them. */
  private static final Set<Short> WITH_NEW_RECORDS =
      Set.of(
          (short) 7,
          (short) 8,
          (short) 11,
          (short) 13,
          (short) 14,
          (short) 15,
          (short) 17,
          (short) 23,
          (short) 30,
          (short) 32,
          (short) 33);

  private final ControllerConfig config;
  private final ElrControl elr;
  private final RaftClient raft;

  FeatureControl(ControllerConfig config, ElrControl elr, RaftClient raft) {
    this.config = config;
    this.elr = elr;
    this.raft = raft;
  }

  /**
   * The records that start a cluster.
   *
   * @param formatted what {@code format} left; the newest metadata version if it left nothing
   */
  static List<ApiMessage> bootstrap(ControllerConfig config, List<ApiMessage> formatted) {
    List<ApiMessage> records = new ArrayList<>(formatted);
    if (records.isEmpty()) {
      VersionRange supported = config.features().get(FeaturesImage.METADATA_VERSION);
      records.add(
          new FeatureLevelRecord()
              .name(FeaturesImage.METADATA_VERSION)
              .featureLevel(supported.max()));
    }
    MetadataImage image = MetadataImage.EMPTY;
    for (ApiMessage record : records) {
      image = image.apply(record);
    }
    if (image.features().hasElr()) {
      records.add(ElrControl.clusterMinInSync(config));
    }
    if (image.features().metadataVersion() >= FIRST_VERSION_WITH_TRANSACTIONS) {
      records.add(0, new BeginTransactionRecord().name("Bootstrap records"));
      records.add(new EndTransactionRecord());
    }
    return records;
  }

  UpdateFeaturesResponse update(UpdateFeaturesRequest request, short version, Draft draft) {
    Draft.Mark start = draft.mark();
    UpdateFeaturesResponse response = new UpdateFeaturesResponse().errorMessage(null);
    for (FeatureUpdateKey u : request.featureUpdates()) {
      byte type = version == 0 ? (u.allowDowngrade() ? SAFE_DOWNGRADE : UPGRADE) : u.upgradeType();
      String refusal = refusal(draft.image(), u.feature(), u.maxVersionLevel(), type);
      if (refusal != null) {
        throw refused(u, refusal);
      }
      checkMetadataDowngrade(draft.image(), u, type);
      checkDependency(draft.image(), request, u);
      if (u.feature().equals(QuorumConfig.KRAFT_VERSION)) {
        if (u.maxVersionLevel() != raft.kraftVersion()) {
          draft.kraftVersion(u.maxVersionLevel());
        }
        // As in Kafka: the answer waits for this record, and so for what is before it.
        draft.add(new NoOpRecord());
      } else if (draft.image().features().level(u.feature()) != u.maxVersionLevel()) {
        change(draft, u.feature(), u.maxVersionLevel());
      }
      if (version < 2) {
        response
            .results()
            .add(
                new UpdatableFeatureResult().feature(u.feature()).errorMessage(Errors.NONE.name()));
      }
    }
    if (request.validateOnly()) {
      draft.reset(start);
    }
    return response;
  }

  private void change(Draft draft, String feature, short level) {
    if (feature.equals(FeaturesImage.ELR_VERSION)) {
      if (level == 0) {
        elr.disable(draft);
      } else {
        elr.enable(draft);
      }
    }
    draft.add(new FeatureLevelRecord().name(feature).featureLevel(level));
  }

  private static ControllerException refused(FeatureUpdateKey u, String why) {
    return new ControllerException(
        Errors.INVALID_UPDATE_VERSION,
        "The update failed for all features since the following feature had an error: Invalid"
            + " update version "
            + u.maxVersionLevel()
            + " for feature "
            + u.feature()
            + ". "
            + why);
  }

  /** Seen with all updates of the request: they may come in any order. */
  private static void checkDependency(
      MetadataImage image, UpdateFeaturesRequest request, FeatureUpdateKey u) {
    if (!u.feature().equals(FeaturesImage.ELR_VERSION) || u.maxVersionLevel() == 0) {
      return;
    }
    short metadata = image.features().metadataVersion();
    for (FeatureUpdateKey other : request.featureUpdates()) {
      if (other.feature().equals(FeaturesImage.METADATA_VERSION)) {
        metadata = other.maxVersionLevel();
      }
    }
    if (metadata < FIRST_VERSION_WITH_ELR) {
      throw refused(
          u,
          u.feature()
              + " could not be set to "
              + u.maxVersionLevel()
              + " because it depends on metadata.version level "
              + FIRST_VERSION_WITH_ELR);
    }
  }

  private String refusal(MetadataImage image, String feature, short level, byte type) {
    if (type != UPGRADE && type != SAFE_DOWNGRADE && type != UNSAFE_DOWNGRADE) {
      return "The controller does not support the given upgrade type.";
    }
    if (level < 0) {
      return "A feature version cannot be less than 0.";
    }
    VersionRange local = config.features().get(feature);
    if (local == null && level == 0) {
      return "Feature " + feature + " not found.";
    }
    String who = "Local controller " + config.nodeId();
    String refusal = unsupported(who, local, level);
    for (BrokerRegistration b : image.cluster().brokers().values()) {
      if (refusal == null && level != 0) {
        refusal = unsupported("Broker " + b.id(), b.features().get(feature), level);
      }
    }
    for (ControllerRegistration c : image.cluster().controllers().values()) {
      if (refusal == null && level != 0) {
        refusal = unsupported("Controller " + c.id(), c.features().get(feature), level);
      }
    }
    boolean kraft = feature.equals(QuorumConfig.KRAFT_VERSION);
    short now = kraft ? raft.kraftVersion() : image.features().level(feature);
    if (refusal == null && type == UPGRADE && level < now) {
      return "Can't downgrade the version of this feature without setting the upgrade type to"
          + " either safe or unsafe downgrade.";
    }
    if (refusal == null && type != UPGRADE && level > now) {
      return "Can't downgrade to a newer version.";
    }
    return refusal != null || !kraft ? refusal : kraftRefusal(level, type);
  }

  private String kraftRefusal(short level, byte type) {
    if (type == UPGRADE) {
      return raft.upgradeKraftVersion(raft.leaderAndEpoch().epoch(), level, true);
    }
    return level == raft.kraftVersion() ? null : "Can't downgrade the version of this feature.";
  }

  private static String unsupported(String who, VersionRange range, short level) {
    if (range == null) {
      return who + " does not support this feature.";
    }
    return range.contains(level)
        ? null
        : who + " only supports versions " + range.min() + "-" + range.max();
  }

  /** A lower metadata version may not know records that the log already holds. */
  private static void checkMetadataDowngrade(MetadataImage image, FeatureUpdateKey u, byte type) {
    short now = image.features().metadataVersion();
    if (!u.feature().equals(FeaturesImage.METADATA_VERSION)) {
      return;
    }
    boolean lost = false;
    for (short v = now; v > u.maxVersionLevel(); v--) {
      lost |= WITH_NEW_RECORDS.contains(v);
    }
    if (lost) {
      throw new ControllerException(
          Errors.INVALID_UPDATE_VERSION,
          "The update failed for all features since the following feature had an error:"
              + " Unsupported metadata.version downgrade from "
              + now
              + " to "
              + u.maxVersionLevel()
              + ". "
              + (type == SAFE_DOWNGRADE
                  ? "Refusing to perform the requested downgrade because it might delete metadata"
                      + " information."
                  : "Unsafe metadata downgrade is not supported in this version."));
    }
  }

  /**
   * Names what is finalised above or below what this code has.
   *
   * @return null if all is supported
   */
  static String unsupported(FeaturesImage finalised, Map<String, VersionRange> supported) {
    for (Map.Entry<String, Short> e : finalised.levels().entrySet()) {
      VersionRange range = supported.get(e.getKey());
      if (range == null || !range.contains(e.getValue())) {
        return "the cluster has finalised "
            + e.getKey()
            + " at level "
            + e.getValue()
            + ", but this version supports "
            + (range == null ? "only level 0" : "levels " + range.min() + " to " + range.max());
      }
    }
    return null;
  }
}
