import { containerMakers, engineAnswers } from './containers.mjs'
import { openControl } from './control.mjs'
import { ffmpegProgram } from './ffmpeg.mjs'
import { localMakers, startParts } from './parts.mjs'

/** The variable whose presence says that a part is already there. */
const givenBy = {
  kafka: 'RETICLE_TEST_KAFKA_BROKERS',
  minio: 'RETICLE_TEST_S3_ENDPOINT',
  postgres: 'RETICLE_TEST_DATABASE_URL',
  azurite: 'RETICLE_TEST_AZURE_CONNECTION',
  gcs: 'RETICLE_TEST_GCS_ENDPOINT',
}

/** Programs that tests run; no servers, so that they have nothing to stop. */
const programs = { RETICLE_TEST_FFMPEG_PATH: ffmpegProgram }

async function findPrograms() {
  const wanted = Object.entries(programs).filter(([name]) => !process.env[name])
  return Object.fromEntries(
    await Promise.all(wanted.map(async ([name, find]) => [name, await find()])),
  )
}

/**
 * The real servers of tests, in the order of design.md 3: what the environment names; containers, when an engine answers;
 * servers of our own. PostgreSQL always comes from npm, which every checkout has. And programs, which are always ours unless named.
 *
 * @returns `{env, source, stop}`; `env` is what the environment did not have, `source` says in words where parts are from
 * @throws MissingTool when a server can be had in no way
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
 * `count` sets of them, so that as many tests that stop and start servers run side by side; one where the environment names any.
 *
 * @returns `{lanes, source, stop}`; `lanes` holds the `env` of each set
 * @throws MissingTool
 */
export async function findLanes(count) {
  const isGiven = Object.values(givenBy).some((name) => process.env[name])
  const found = []
  const stop = async () => {
    await Promise.all(found.map((parts) => parts.stop()))
  }
  try {
    // One after the other: what the first has fetched and built is there for the others.
    while (found.length < (isGiven ? 1 : count)) found.push(await findParts())
  } catch (error) {
    await stop()
    throw error
  }
  return { lanes: found.map(({ env }) => env), source: found[0].source, stop }
}
