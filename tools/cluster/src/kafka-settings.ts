import { freePorts } from './ports.ts'

/** Ports of a broker: for clients, for its controller, and for clients that connect through a test's proxy. */
export interface KafkaPorts {
  broker: number
  controller: number
  behindProxy: number
  proxy: number
}

export async function kafkaPorts(): Promise<KafkaPorts> {
  const [broker = 0, controller = 0, behindProxy = 0, proxy = 0] = await freePorts(4)
  return { broker, controller, behindProxy, proxy }
}

/**
 * Settings of a single broker that is its own controller. One broker needs replication factors of 1. The first
 * rebalance has no delay and sessions are short, because tests kill the broker, and the next one is refused until the
 * session of the killed one expires.
 */
export function kafkaSettings({
  host = '127.0.0.1',
  bind = host,
  broker,
  controller,
  behindProxy,
  proxy,
  data,
}: KafkaPorts & { host?: string; bind?: string; data: string }): Record<string, string> {
  return {
    'process.roles': 'broker,controller',
    'node.id': '1',
    'controller.quorum.voters': `1@127.0.0.1:${controller}`,
    listeners: `PLAINTEXT://${bind}:${broker},PROXIED://${bind}:${behindProxy},CONTROLLER://127.0.0.1:${controller}`,
    'advertised.listeners': `PLAINTEXT://${host}:${broker},PROXIED://127.0.0.1:${proxy}`,
    'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,PROXIED:PLAINTEXT,CONTROLLER:PLAINTEXT',
    'inter.broker.listener.name': 'PLAINTEXT',
    'controller.listener.names': 'CONTROLLER',
    'log.dirs': data,
    'num.partitions': '4',
    'default.replication.factor': '1',
    'min.insync.replicas': '1',
    'offsets.topic.replication.factor': '1',
    'offsets.topic.num.partitions': '4',
    'transaction.state.log.replication.factor': '1',
    'transaction.state.log.min.isr': '1',
    'transaction.state.log.num.partitions': '4',
    'group.initial.rebalance.delay.ms': '0',
    'auto.create.topics.enable': 'false',
    'broker.session.timeout.ms': '2000',
    'broker.heartbeat.interval.ms': '500',
  }
}

/**
 * Settings with its addresses. The second listener is for tests of a bad network: its clients are directed to the port
 * of `RETICLE_TEST_KAFKA_PROXY`, where the test's proxy to `RETICLE_TEST_KAFKA_BEHIND_PROXY` listens.
 */
export const kafkaEnv = ({
  host = '127.0.0.1',
  broker,
  behindProxy,
  proxy,
}: KafkaPorts & { host?: string }): Record<string, string> => ({
  RETICLE_TEST_KAFKA_BROKERS: `${host}:${broker}`,
  RETICLE_TEST_KAFKA_BEHIND_PROXY: `${host}:${behindProxy}`,
  RETICLE_TEST_KAFKA_PROXY: `127.0.0.1:${proxy}`,
})
