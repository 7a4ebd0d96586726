import type { ChannelOptions } from '@grpc/grpc-js'

/** Options of both ends of a gRPC connection. Times are in milliseconds. See docs/spec/reliability.md#grpc. */

const messageLimit = 4 * 1024 * 1024 // bytes; a safeguard, since larger content is streamed in pieces

/** Detects a peer that vanished silently (a cut cable, a frozen machine) 35 s after its last message. */
const keepalive: ChannelOptions = {
  'grpc.keepalive_time_ms': 30_000,
  'grpc.keepalive_timeout_ms': 5000,
  'grpc.keepalive_permit_without_calls': 0,
}

/** Options of a server. The library varies the maximum age by a tenth, so that clients do not reconnect all at once. */
export const serverOptions: ChannelOptions = {
  ...keepalive,
  'grpc.max_receive_message_length': messageLimit,
  // Names are resolved again only when a connection ends: without an age, clients would never discover a new replica.
  'grpc.max_connection_age_ms': 5 * 60_000,
  // The longest duration of a stream. New calls use another connection by
  // then; 30 s would cut every long stream once in five minutes.
  'grpc.max_connection_age_grace_ms': 10 * 60_000,
}

const clientOptions: ChannelOptions = {
  ...keepalive,
  'grpc.max_receive_message_length': messageLimit,
  'grpc.service_config_disable_resolution': 1, // a TXT record must not change these settings
  'grpc.dns_min_time_between_resolutions_ms': 10_000,
  'grpc.initial_reconnect_backoff_ms': 100,
  // Shorter than any drain, so that a replica that returned is found before the next one leaves.
  'grpc.max_reconnect_backoff_ms': 1000,
}

const loadBalancingConfig = [{ round_robin: {} }]

const retryPolicy = {
  maxAttempts: 4,
  initialBackoff: '0.05s',
  maxBackoff: '1s',
  backoffMultiplier: 2,
  retryableStatusCodes: ['UNAVAILABLE'],
}

/** Options of the channel for calls with one message each way: calls lost with a broken connection are retried. */
export const messageOptions: ChannelOptions = {
  ...clientOptions,
  'grpc.per_rpc_retry_buffer_size': messageLimit,
  'grpc.service_config': JSON.stringify({
    loadBalancingConfig,
    methodConfig: [{ name: [{}], retryPolicy }],
  }),
}

/**
 * Options of the channel for streams, which are never retried: the sent body is no longer available, and buffering it
 * would take memory.
 */
export const streamOptions: ChannelOptions = {
  ...clientOptions,
  'grpc.per_rpc_retry_buffer_size': 256 * 1024,
  'grpc.service_config': JSON.stringify({ loadBalancingConfig }),
}
