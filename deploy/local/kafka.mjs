import { createHash, randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { kafkaAnswers } from './answers.mjs'
import { cached, versionOf } from './cache.mjs'
import { kafkaEnv, kafkaPorts, kafkaSettings } from './kafka-settings.mjs'
import { makePart } from './part.mjs'
import { requireTool, runTool, telling } from './tools.mjs'

const here = (name) => fileURLToPath(new URL(`kafka/${name}`, import.meta.url))
const copyDependencies = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies'

/** Apache Kafka from its published Java artifacts: one broker that is its own controller. Data and settings in `folder`. */
export async function kafkaPart(folder, logs) {
  await requireTool('java')
  const libraries = await kafkaLibraries()
  const settings = join(folder, 'server.properties')
  const data = join(folder, 'data')
  let ports
  await mkdir(folder, { recursive: true })

  const choosePorts = async () => {
    ports = await kafkaPorts()
    const lines = Object.entries(kafkaSettings({ ...ports, data })).map((pair) => pair.join('='))
    await writeFile(settings, `${lines.join('\n')}\n`)
    if (existsSync(join(data, 'meta.properties'))) return
    const id = randomBytes(16).toString('base64url')
    const format = ['kafka.tools.StorageTool', 'format', '-t', id, '-c', settings]
    await runTool('java', [...flags(libraries), ...format])
  }
  return makePart({
    name: 'kafka',
    logs,
    choosePorts,
    command: () => ({ command: 'java', args: [...flags(libraries), 'kafka.Kafka', settings] }),
    isReady: () => kafkaAnswers(`127.0.0.1:${ports.broker}`),
    env: () => kafkaEnv(ports),
  })
}

/** The jars, fetched once and compared with the committed checksums at every start. */
async function kafkaLibraries() {
  const version = versionOf('4.4.0', here('pom.xml'), here('jars.sha256'))
  const folder = await cached('kafka', version, (half) =>
    telling('Fetching Apache Kafka (once)', async () => {
      const output = `-DoutputDirectory=${join(half, 'libs')}`
      const quiet = ['-q', '-B', '-ntp', '-C', '-f', here('pom.xml')]
      await runTool('mvn', [...quiet, copyDependencies, '-DincludeScope=runtime', output])
      await checkJars(join(half, 'libs'))
    }),
  )
  const libraries = join(folder, 'libs')
  await checkJars(libraries)
  return libraries
}

/** @throws Error naming the jar that is missing, too many or not what was pinned */
async function checkJars(folder) {
  const pins = readFileSync(here('jars.sha256'), 'utf8').trim().split('\n')
  const pinned = new Map(pins.map((line) => line.split(/\s+/).toReversed()))
  const names = await readdir(folder)
  const wrong = [...pinned.keys()].filter((name) => !names.includes(name))
  for (const name of names) {
    const content = await readFile(join(folder, name))
    const hash = createHash('sha256').update(content).digest('hex')
    if (pinned.get(name) !== hash) wrong.push(name)
  }
  if (wrong.length > 0)
    throw new Error(`not as pinned in jars.sha256: ${wrong.join(', ')}; remove ${folder}`)
}

const flags = (libraries) => [
  '-Xmx256m',
  '-XX:+UseSerialGC',
  '-XX:TieredStopAtLevel=1',
  '-Djava.awt.headless=true',
  `-Dlog4j2.configurationFile=file:${here('log4j2.properties')}`,
  '-cp',
  join(libraries, '*'),
]
