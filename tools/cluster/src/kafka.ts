import { createHash, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { kafkaAnswers } from './answers.ts'
import { ensureCached } from './cache.mjs'
import { jarsVersion, kafkaJars } from './kafka-jars.ts'
import { type KafkaPorts, kafkaEnv, kafkaPorts, kafkaSettings } from './kafka-settings.ts'
import { makePart, type OnExit, type ServerPart } from './part.ts'
import { reportProgress, runTool } from './tools.mjs'

/**
 * Apache Kafka from its published Java artifacts: one broker that is its own controller. Data and settings are in
 * `folder`.
 */
export async function kafkaPart(
  folder: string,
  logs: string,
  onGone?: OnExit,
): Promise<ServerPart> {
  const { stderr: java } = await runTool('java', ['-version'])
  const jars = await kafkaJars()
  const classes = await classArchive(jars, java)
  return brokerPart({ folder, logs, onGone, jars, flags: [`-XX:SharedArchiveFile=${classes}`] })
}

/**
 * Archive of the classes that a broker loads with this Java version, which halves the start time. Made by a short run
 * of a broker.
 */
async function classArchive(jars: string, java: string): Promise<string> {
  const version = `${jarsVersion}-${createHash('sha256').update(java).digest('hex').slice(0, 8)}`
  const made = await ensureCached('kafka-classes', version, (half) =>
    reportProgress('Preparing Kafka for fast starts (once)', async () => {
      const folder = join(half, 'run')
      const flags = [`-XX:ArchiveClassesAtExit=${join(half, 'classes.jsa')}`]
      const part = await brokerPart({ folder, logs: half, jars, flags, stopMs: 60_000 })
      await part.start()
      await part.stop()
      await rm(folder, { recursive: true })
    }),
  )
  return join(made, 'classes.jsa')
}

interface BrokerOptions {
  folder: string
  logs: string
  jars: string
  /** Of the Java virtual machine. */
  flags: readonly string[]
  onGone?: OnExit
  stopMs?: number
}

async function brokerPart(options: BrokerOptions): Promise<ServerPart> {
  const { folder, logs, onGone, jars, flags, stopMs } = options

  const settings = join(folder, 'server.properties')
  const data = join(folder, 'data')
  let ports: KafkaPorts = { broker: 0, controller: 0, behindProxy: 0, proxy: 0 }
  await mkdir(folder, { recursive: true })

  const choosePorts = async () => {
    ports = await kafkaPorts()
    const lines = Object.entries(kafkaSettings({ ...ports, data })).map((pair) => pair.join('='))
    await writeFile(settings, `${lines.join('\n')}\n`)
    if (existsSync(join(data, 'meta.properties'))) return
    const id = randomBytes(16).toString('base64url')
    const format = ['kafka.tools.StorageTool', 'format', `--cluster-id=${id}`, '-c', settings] // an id may begin with a dash
    await runTool('java', [...javaFlags, '-cp', join(jars, '*'), ...format])
  }
  return makePart({
    name: 'kafka',
    logs,
    onGone,
    choosePorts,
    command: () => ({
      command: 'java',
      args: [...javaFlags, ...flags, '-cp', join(jars, '*'), 'kafka.Kafka', settings],
    }),
    isReady: () => kafkaAnswers(`127.0.0.1:${ports.broker}`),
    env: () => kafkaEnv(ports),
    stopMs,
  })
}

const logging = fileURLToPath(new URL('../kafka/log4j2.properties', import.meta.url))

const javaFlags = [
  '-Xmx256m',
  '-XX:+UseSerialGC',
  '-XX:TieredStopAtLevel=1',
  '-Djava.awt.headless=true',
  `-Dlog4j2.configurationFile=file:${logging}`,
]
