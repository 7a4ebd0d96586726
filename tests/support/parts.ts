/** The real servers of the project `cluster`, which tests stop and start. */

export type PartName = 'kafka' | 'minio' | 'postgres'

/** Each call resolves when the server has stopped or can be used again, on the same ports and data. */
export const parts = {
  start: (name: PartName) => control(name, 'start'),
  /** Stops gracefully. */
  stop: (name: PartName) => control(name, 'stop'),
  /** Kills by SIGKILL, like a crash. */
  kill: (name: PartName) => control(name, 'kill'),
  /** Freezes: connections stay open without responses, until `resume`. */
  pause: (name: PartName) => control(name, 'pause'),
  resume: (name: PartName) => control(name, 'resume'),
  restart: (name: PartName) => control(name, 'restart'),
}

/** Returns a setting with the address of a server, e.g. `RETICLE_TEST_S3_ENDPOINT`. */
export function partSetting(name: `RETICLE_TEST_${string}`): string {
  const value = process.env[name]
  if (!value) throw new Error(`${name} is not set: run this test in the project cluster`)
  return value
}

async function control(name: PartName, action: string): Promise<void> {
  const url = partSetting('RETICLE_TEST_CONTROL')
  const answer = await fetch(`${url}/${name}/${action}`, { method: 'POST' })
  if (!answer.ok) throw new Error(`${action} ${name}: ${answer.status} ${await answer.text()}`)
}
