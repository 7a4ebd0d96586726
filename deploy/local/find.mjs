import { containerMakers, engineAnswers } from './containers.mjs'
import { openControl } from './control.mjs'
import { ffmpegProgram } from './ffmpeg.mjs'
import { localMakers, startParts } from './parts.mjs'

/** Variable that shows that a server is already running. */
const givenBy = {
  kafka: 'RETICLE_TEST_KAFKA_BROKERS',
  minio: 'RETICLE_TEST_S3_ENDPOINT',
  postgres: 'RETICLE_TEST_DATABASE_URL',
  versitygw: 'RETICLE_TEST_SECOND_S3_ENDPOINT',
  azurite: 'RETICLE_TEST_AZURE_CONNECTION',
  gcs: 'RETICLE_TEST_GCS_ENDPOINT',
}

/** Programs that tests run; they are not servers and need no stop. */
const programs = { RETICLE_TEST_FFMPEG_PATH: ffmpegProgram }

async function findPrograms() {
  const missing = Object.entries(programs).filter(([name]) => !process.env[name])
  return Object.fromEntries(
    await Promise.all(missing.map(async ([name, find]) => [name, await find()])),
  )
}

/**
 * Finds the real servers of tests, in this order: those of the environment; containers, if an engine responds; newly
 * started servers. PostgreSQL always comes from npm, which every checkout has, and programs come from npm unless the
 * environment names them.
 *
 * @returns `{env, source, stop}`; `env` has the settings that the environment lacked, `source` describes the origin in
 * words
 * @throws MissingTool if a server cannot be started in any way
 */
export async function findParts() {
  const names = Object.keys(givenBy).filter((name) => !process.env[givenBy[name]])
  const found = await findPrograms()
  if (names.length === 0) return { env: found, source: 'the environment', stop: async () => {} }
  const hasEngine = names.some((name) => name in containerMakers) && (await engineAnswers())
  const makers = hasEngine ? { ...localMakers, ...containerMakers } : localMakers
  const started = await startParts({ names, makers })
  const control = await openControl(started.parts)
  const stop = async () => {
    await control.close()
    await started.stop()
  }
  const source = hasEngine ? 'containers' : 'deploy/local'
  const env = { ...found, ...started.env, RETICLE_TEST_CONTROL: control.url }
  return { env, source, stop }
}

/**
 * Finds `count` sets of servers, so that as many tests that stop and start servers can run concurrently; one set if the
 * environment names any.
 *
 * @returns `{lanes, source, stop}`; `lanes` has the `env` of each set
 * @throws MissingTool
 */
export async function findLanes(count) {
  const isGiven = Object.values(givenBy).some((name) => process.env[name])
  const found = []
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
  return { lanes: found.map(({ env }) => env), source: found[0].source, stop }
}
