import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ensureCached, versionOf } from './cache.mjs'
import { reportProgress, runTool } from './tools.mjs'

const here = (name: string) => fileURLToPath(new URL(`../kafka/${name}`, import.meta.url))
const copyDependencies = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies'

export const jarsVersion = versionOf('4.4.0', here('pom.xml'), here('jars.sha256'))

/** Returns the folder of Kafka's jars, downloaded once and compared with the committed checksums at every start. */
export async function kafkaJars(): Promise<string> {
  const folder = await ensureCached('kafka', jarsVersion, (half) =>
    reportProgress('Fetching Apache Kafka (once)', async () => {
      const output = `-DoutputDirectory=${join(half, 'libs')}`
      const quiet = ['-q', '-B', '-ntp', '-C', '-f', here('pom.xml')]
      await runTool('mvn', [...quiet, copyDependencies, '-DincludeScope=runtime', output])
      await checkJars(join(half, 'libs'))
    }),
  )
  const jars = join(folder, 'libs')
  await checkJars(jars)
  return jars
}

/** @throws Error naming the jars that are missing, unexpected or different */
async function checkJars(folder: string): Promise<void> {
  const pins = readFileSync(here('jars.sha256'), 'utf8').trim().split('\n')
  const pinned = new Map(
    pins.map((line): [name: string, hash: string] => {
      const [hash = '', name = ''] = line.split(/\s+/)
      return [name, hash]
    }),
  )
  const names = await readdir(folder)
  const wrong = [...pinned.keys()].filter((name) => !names.includes(name))
  for (const name of names) {
    const content = await readFile(join(folder, name))
    const hash = createHash('sha256').update(content).digest('hex')
    if (pinned.get(name) !== hash) wrong.push(name)
  }
  if (wrong.length === 0) return
  throw new Error(`not as pinned in jars.sha256: ${wrong.join(', ')}; remove ${folder}`)
}
