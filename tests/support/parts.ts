/** The real servers of the project `cluster`, which tests stop and start. */

export type PartName = 'kafka' | 'minio' | 'postgres'

/** Each is done when the server is gone, or can be used again: on the same ports and data. */
export const parts = {
  start: (name: PartName) => control(name, 'start'),
  /** As an operator does it. */
  stop: (name: PartName) => control(name, 'stop'),
  /** As a crash does it: SIGKILL. */
  kill: (name: PartName) => control(name, 'kill'),
  /** Frozen: connections stay open and nobody answers, until `resume`. */
  pause: (name: PartName) => control(name, 'pause'),
  resume: (name: PartName) => control(name, 'resume'),
  restart: (name: PartName) => control(name, 'restart'),
}

/** A setting by which tests find the servers, e.g. `RETICLE_TEST_S3_ENDPOINT`. */
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
