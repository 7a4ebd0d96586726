import type { ChannelOptions } from '@grpc/grpc-js'

/** How both ends of a connection behave: the values of `reliability.md` 14. Times are milliseconds. */

const messageLimit = 4 * 1024 * 1024 // bytes; a tripwire: what may be larger is a stream of pieces

/** A peer that is gone without a word (a cut cable, a frozen machine) is noticed 35 s after its last one. */
const keepalive: ChannelOptions = {
  'grpc.keepalive_time_ms': 30_000,
  'grpc.keepalive_timeout_ms': 5000,
  'grpc.keepalive_permit_without_calls': 0,
}

/** Of a server; the library varies the age by a tenth, so that clients do not come back all at once. */
export const serverOptions: ChannelOptions = {
  ...keepalive,
  'grpc.max_receive_message_length': messageLimit,
  // Names are looked up again only when a connection ends: without an age no client would ever see a new replica.
  'grpc.max_connection_age_ms': 5 * 60_000,
  // As long as a stream may take. New calls have moved on by then; 30 s would cut every long stream once in five minutes.
  'grpc.max_connection_age_grace_ms': 10 * 60_000,
}

const clientOptions: ChannelOptions = {
  ...keepalive,
  'grpc.max_receive_message_length': messageLimit,
  'grpc.service_config_disable_resolution': 1, // a TXT record must not change any of this
  'grpc.dns_min_time_between_resolutions_ms': 10_000,
  'grpc.initial_reconnect_backoff_ms': 100,
  // Shorter than any drain: a replica that came back is found again before the next one leaves.
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

/** Of the channel for calls with one message each way: those that a broken connection took along are made again. */
export const messageOptions: ChannelOptions = {
  ...clientOptions,
  'grpc.per_rpc_retry_buffer_size': messageLimit,
  'grpc.service_config': JSON.stringify({
    loadBalancingConfig,
    methodConfig: [{ name: [{}], retryPolicy }],
  }),
}

/** Of the channel for streams. None is made again: a body that was sent is gone, and what is kept of it is memory. */
export const streamOptions: ChannelOptions = {
  ...clientOptions,
  'grpc.per_rpc_retry_buffer_size': 256 * 1024,
  'grpc.service_config': JSON.stringify({ loadBalancingConfig }),
}
