import { createRequire } from 'node:module'
import { setTimeout as sleep } from 'node:timers/promises'
import { kafkaAnswers, minioAnswers } from './answers.mjs'
import { kafkaEnv, kafkaPorts, kafkaSettings } from './kafka-settings.mjs'
import { freePort } from './ports.mjs'

/** Kafka and MinIO as containers, with the same interface as the parts of part.mjs, on fixed host ports. */

const library = () =>
  createRequire(new URL('../../tests/package.json', import.meta.url))('testcontainers')

export async function engineAnswers() {
  try {
    await library().getContainerRuntimeClient()
    return true
  } catch {
    return false
  }
}

async function kafkaContainer() {
  const host = await engineHost()
  const ports = await kafkaPorts()
  const settings = kafkaSettings({ ...ports, host, bind: '0.0.0.0', data: '/tmp/kafka' })
  const variables = Object.entries(settings).map(([name, value]) => [
    `KAFKA_${name.toUpperCase().replaceAll('.', '_')}`,
    value,
  ])
  return containerPart({
    image: 'apache/kafka:4.4.0',
    ports: [
      [ports.broker, ports.broker],
      [ports.behindProxy, ports.behindProxy],
    ],
    variables: Object.fromEntries(variables),
    isReady: () => kafkaAnswers(`${host}:${ports.broker}`),
    env: kafkaEnv({ ...ports, host }),
  })
}

async function minioContainer() {
  const host = await engineHost()
  const port = await freePort()
  const [accessKey, secretKey] = ['reticle', 'reticle-in-tests']
  return containerPart({
    image: 'minio/minio:RELEASE.2025-09-07T16-13-09Z',
    ports: [[9000, port]],
    variables: { MINIO_ROOT_USER: accessKey, MINIO_ROOT_PASSWORD: secretKey, MINIO_UPDATE: 'off' },
    command: ['server', '/data'],
    isReady: () => minioAnswers({ host, port, accessKey, secretKey }),
    env: {
      RETICLE_TEST_S3_ENDPOINT: `http://${host}:${port}`,
      RETICLE_TEST_S3_ACCESS_KEY: accessKey,
      RETICLE_TEST_S3_SECRET_KEY: secretKey,
    },
  })
}

export const containerMakers = { kafka: kafkaContainer, minio: minioContainer }

async function engineHost() {
  const { info } = await library().getContainerRuntimeClient()
  const { host } = info.containerRuntime
  return host === 'localhost' ? '127.0.0.1' : host
}

function containerPart({ image, ports, variables, command = [], isReady, env }) {
  let container
  const create = async () => {
    const { GenericContainer, Wait, getContainerRuntimeClient } = library()
    const made = new GenericContainer(image)
      .withEnvironment(variables)
      .withExposedPorts(...ports.map(([inside, outside]) => ({ container: inside, host: outside })))
      .withWaitStrategy(Wait.forAll([])) // readiness is checked by a call to the server, also after a restart
    if (command.length > 0) made.withCommand(command)
    const started = await made.start()
    const { container: engine } = await getContainerRuntimeClient()
    container = engine.getById(started.getId())
  }
  const isRunning = async () => (await container.inspect()).State.Running
  const start = async () => {
    if (!container) await create()
    else if (!(await isRunning())) await container.start()
    await untilAnswers(image, isReady)
  }
  const stop = async () => {
    if (container && (await isRunning())) await container.stop({ t: 8 })
  }
  return {
    env: () => env,
    start,
    stop,
    kill: () => container.kill(),
    pause: () => container.pause(),
    resume: () => container.unpause(),
    restart: async () => {
      await stop()
      await start()
    },
    remove: async () => container?.remove({ force: true, v: true }),
  }
}

async function untilAnswers(image, isReady) {
  for (const limit = Date.now() + 120_000; Date.now() < limit; await sleep(100)) {
    if (await isReady().catch(() => false)) return
  }
  throw new Error(`${image} did not answer within 120 s`)
}
