import { containerMakers, engineAnswers } from './containers.ts'
import { openControl } from './control.ts'
import { ffmpegProgram } from './ffmpeg.ts'
import { type AnyPart, localMakers, type PartMaker, startPartsWith } from './parts.ts'

/** Variable that shows that a server is already running. */
const givenBy: Record<string, string> = {
  kafka: 'RETICLE_TEST_KAFKA_BROKERS',
  minio: 'RETICLE_TEST_S3_ENDPOINT',
  postgres: 'RETICLE_TEST_DATABASE_URL',
  versitygw: 'RETICLE_TEST_SECOND_S3_ENDPOINT',
  azurite: 'RETICLE_TEST_AZURE_CONNECTION',
  gcs: 'RETICLE_TEST_GCS_ENDPOINT',
}

type Settings = Record<string, string>

/** Real servers of tests. */
export interface TestServers {
  /** The settings that the environment lacked. */
  env: Settings
  /** Origin in words: `containers`, `tools/cluster`, `the environment`. */
  source: string
  stop: () => Promise<void>
}

/** Programs that tests run; they are not servers and need no stop. */
const programs = { RETICLE_TEST_FFMPEG_PATH: ffmpegProgram }

async function findPrograms(): Promise<Settings> {
  const found: Settings = {}
  for (const [name, find] of Object.entries(programs))
    if (!process.env[name]) found[name] = await find()
  return found
}

/**
 * Finds the real servers of tests, in this order: those of the environment; containers, if an engine responds; newly
 * started servers. PostgreSQL always comes from npm, which every checkout has, and programs come from npm unless the
 * environment names them.
 *
 * @throws MissingTool if a server cannot be started in any way
 */
export async function findParts(): Promise<TestServers> {
  const names = Object.entries(givenBy).flatMap(([name, variable]) =>
    process.env[variable] ? [] : [name],
  )
  const found = await findPrograms()
  if (names.length === 0) return { env: found, source: 'the environment', stop: async () => {} }
  const hasEngine = names.some((name) => name in containerMakers) && (await engineAnswers())
  const makers: Record<string, PartMaker<AnyPart>> = hasEngine
    ? { ...localMakers, ...containerMakers }
    : localMakers
  const started = await startPartsWith(makers, { names })
  const control = await openControl(started.parts)
  const stop = async () => {
    await control.close()
    await started.stop()
  }
  const source = hasEngine ? 'containers' : 'tools/cluster'
  const env = { ...found, ...started.env, RETICLE_TEST_CONTROL: control.url }
  return { env, source, stop }
}

/** Several sets of real servers: the settings of each. */
export interface TestLanes extends Omit<TestServers, 'env'> {
  lanes: Settings[]
}

/**
 * Finds `count` sets of servers, so that as many tests that stop and start servers can run concurrently; one set if the
 * environment names any.
 *
 * @throws MissingTool
 */
export async function findLanes(count: number): Promise<TestLanes> {
  const isGiven = Object.values(givenBy).some((name) => process.env[name])
  const found: TestServers[] = []
  const stop = async () => {
    await Promise.all(found.map((parts) => parts.stop()))
  }
  try {
    // One after the other, so that the later ones use the downloads and builds of the first.
    while (found.length < (isGiven ? 1 : count)) found.push(await findParts())
  } catch (error) {
    await stop()
    throw error
  }
  return { lanes: found.map(({ env }) => env), source: found[0]?.source ?? 'nowhere', stop }
}
