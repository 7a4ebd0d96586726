import { readFile } from 'node:fs/promises'
import type { CloudStorageCreate } from '@reticle/sdk'
import { misused } from '../failure.ts'

/** What whoever migrates gives in files: who is who, and secrets. */

/** The name at the source, and that at the target; `null` for who has none there. Others keep their name. */
export type UserMap = Readonly<Record<string, string | null>>

/** @throws Failure for a file that is no such map */
export async function readUserMap(path: string): Promise<UserMap> {
  const map = await readJsonObject<string | null>(path, '--users')
  for (const [name, value] of Object.entries<unknown>(map))
    if (value !== null && typeof value !== 'string')
      throw misused(
        `--users: ${path}: "${name}" is no username`,
        'Write {"name there": "name here", "somebody": null}.',
      )
  return map
}

/** @throws Failure naming the file and what is wrong with it */
async function readJsonObject<Value>(path: string, option: string): Promise<Record<string, Value>> {
  const text = await readFile(path, 'utf8')
  try {
    const value = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch (thrown) {
    throw misused(`${option}: ${path}: ${thrown instanceof Error ? thrown.message : thrown}`)
  }
  throw misused(`${option}: ${path} is no JSON object`)
}

/** What no server tells again, given by whoever migrates, by ids of the source. */
export interface Secrets {
  /** Members of the body that makes it: `key`, `secret_key`, `account_name` and the like. */
  cloud_storages: Readonly<Record<string, Partial<CloudStorageCreate>>>
  /** The secret that signs deliveries. */
  webhooks: Readonly<Record<string, string>>
}

export const noSecrets: Secrets = { cloud_storages: {}, webhooks: {} }

/** @throws Failure for a file that is none such */
export async function readSecrets(path: string): Promise<Secrets> {
  const {
    cloud_storages = {},
    webhooks = {},
    ...others
  } = await readJsonObject<object>(path, '--secrets')
  const [other] = Object.keys(others)
  if (other !== undefined)
    throw misused(
      `--secrets: ${path}: "${other}" is not known`,
      'Write {"cloud_storages": {"7": {"key": "...", "secret_key": "..."}}, "webhooks": {"3": "..."}}.',
    )
  return { cloud_storages: { ...cloud_storages }, webhooks: { ...webhooks } }
}
