import { readFile } from 'node:fs/promises'
import type { CloudStorageCreate } from '@reticle/sdk'
import { usageFailure } from '../failures/failure.ts'

/** Files supplied by the user: a map of usernames, and secrets. */

/**
 * Usernames at the target by username at the source; `null` for users without an account. Other users have the same
 * name.
 */
export type UserMap = Readonly<Record<string, string | null>>

/**
 * Reads the map of usernames from a JSON file.
 *
 * @throws Failure for a file that is not such a map
 */
export async function readUserMap(path: string): Promise<UserMap> {
  const map = await readJsonObject<string | null>(path, '--users')
  for (const [name, value] of Object.entries<unknown>(map))
    if (value !== null && typeof value !== 'string')
      throw usageFailure(
        `--users: ${path}: "${name}" is no username`,
        'Write {"name there": "name here", "other name": null}.',
      )
  return map
}

/** @throws Failure naming the file and the problem */
async function readJsonObject<Value>(path: string, option: string): Promise<Record<string, Value>> {
  const text = await readFile(path, 'utf8')
  try {
    const value = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch (thrown) {
    throw usageFailure(`${option}: ${path}: ${thrown instanceof Error ? thrown.message : thrown}`)
  }
  throw usageFailure(`${option}: ${path} is no JSON object`)
}

/** Secrets that the API never returns, by ids of the source. */
export interface Secrets {
  /** Members of the request that creates the cloud storage: `key`, `secret_key`, `account_name` and others. */
  cloud_storages: Readonly<Record<string, Partial<CloudStorageCreate>>>
  /** Signing secrets of webhooks. */
  webhooks: Readonly<Record<string, string>>
}

export const noSecrets: Secrets = { cloud_storages: {}, webhooks: {} }

/**
 * Reads the secrets from a JSON file.
 *
 * @throws Failure for a file with another structure
 */
export async function readSecrets(path: string): Promise<Secrets> {
  const {
    cloud_storages = {},
    webhooks = {},
    ...others
  } = await readJsonObject<object>(path, '--secrets')
  const [other] = Object.keys(others)
  if (other !== undefined)
    throw usageFailure(
      `--secrets: ${path}: "${other}" is not known`,
      'Write {"cloud_storages": {"7": {"key": "...", "secret_key": "..."}}, "webhooks": {"3": "..."}}.',
    )
  return { cloud_storages: { ...cloud_storages }, webhooks: { ...webhooks } }
}
