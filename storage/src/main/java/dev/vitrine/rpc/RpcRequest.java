package dev.vitrine.rpc;

import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.message.ApiKeys;

/**
 * A request whose version is chosen once it is known what the other side speaks.
 *
 * @param maxVersion the caller's own upper bound
 * @param builder makes the message of the chosen version; called once, when it is sent
 */
public record RpcRequest(ApiKeys api, short maxVersion, Builder builder) {
  /** Makes the message of a version. */
  public interface Builder {
    ApiMessage build(short version);
  }

  /** The same message whatever the version. */
  public static RpcRequest of(ApiMessage message) {
    ApiKeys api = ApiKeys.forId(message.apiKey());
    return new RpcRequest(api, api.highestVersion(), version -> message);
  }

  public RpcRequest upTo(int version) {
    return new RpcRequest(api, (short) Math.min(version, maxVersion), builder);
  }
}
