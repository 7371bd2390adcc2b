package dev.vitrine.config;

import java.util.List;

/**
 * What this node is and where its files are.
 *
 * @param rack null if none
 * @param logDirs at least one
 */
public record NodeSettings(
    int nodeId,
    boolean isBroker,
    boolean isController,
    String rack,
    List<String> logDirs,
    String metadataLogDir) {

  static NodeSettings of(ConfigValues v) {
    List<String> roles = v.list("process.roles");
    List<String> logDirs = v.isSet("log.dirs") ? v.list("log.dirs") : v.list("log.dir");
    String metadataLogDir = v.string("metadata.log.dir");
    return new NodeSettings(
        v.int32("node.id"),
        roles.contains("broker"),
        roles.contains("controller"),
        v.string("broker.rack"),
        logDirs,
        metadataLogDir == null ? logDirs.get(0) : metadataLogDir);
  }
}
