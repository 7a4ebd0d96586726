import { setTimeout as sleep } from 'node:timers/promises'
import { kafkaAnswers, minioAnswers } from './answers.ts'
import { kafkaEnv, kafkaPorts, kafkaSettings } from './kafka-settings.ts'
import type { AnyPart } from './parts.ts'
import { freePort } from './ports.ts'

/** Kafka and MinIO as containers, with the same interface as the processes of `part.ts`, on fixed host ports. */

/** Loaded only if an engine may respond, because it is large. */
const library = () => import('testcontainers')

export async function engineAnswers(): Promise<boolean> {
  try {
    await (await library()).getContainerRuntimeClient()
    return true
  } catch {
    return false
  }
}

async function kafkaContainer(): Promise<AnyPart> {
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

async function minioContainer(): Promise<AnyPart> {
  const host = await engineHost()
  const port = await freePort()
  const accessKey = 'reticle'
  const secretKey = 'reticle-in-tests'
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

async function engineHost(): Promise<string> {
  const { info } = await (await library()).getContainerRuntimeClient()
  const { host } = info.containerRuntime
  return host === 'localhost' ? '127.0.0.1' : host
}

/** A container of the engine, by the library of testcontainers. */
type Container = ReturnType<
  Awaited<
    ReturnType<Awaited<ReturnType<typeof library>>['getContainerRuntimeClient']>
  >['container']['getById']
>

interface ContainerOptions {
  image: string
  ports: [inside: number, outside: number][]
  variables: Record<string, string>
  command?: string[]
  isReady: () => Promise<boolean>
  env: Record<string, string>
}

function containerPart(options: ContainerOptions): AnyPart {
  const { image, ports, variables, command = [], isReady, env } = options
  let container: Container | undefined
  const create = async () => {
    const { GenericContainer, Wait, getContainerRuntimeClient } = await library()
    const made = new GenericContainer(image)
      .withEnvironment(variables)
      .withExposedPorts(...ports.map(([inside, outside]) => ({ container: inside, host: outside })))
      .withWaitStrategy(Wait.forAll([])) // readiness is checked by a call to the server, also after a restart
    if (command.length > 0) made.withCommand(command)
    const started = await made.start()
    const { container: engine } = await getContainerRuntimeClient()
    container = engine.getById(started.getId())
  }
  const isRunning = async () => (await container?.inspect())?.State.Running === true
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
    kill: async () => void (await container?.kill()),
    pause: async () => void (await container?.pause()),
    resume: async () => void (await container?.unpause()),
    restart: async () => {
      await stop()
      await start()
    },
    remove: async () => container?.remove({ force: true, v: true }),
  }
}

async function untilAnswers(image: string, isReady: () => Promise<boolean>): Promise<void> {
  for (const limit = Date.now() + 120_000; Date.now() < limit; await sleep(100)) {
    if (await isReady().catch(() => false)) return
  }
  throw new Error(`${image} did not answer within 120 s`)
}
