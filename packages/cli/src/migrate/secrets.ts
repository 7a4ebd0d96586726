import type { CloudStorageCreate } from '@reticle/sdk'
import { misused } from '../failure.ts'
import { readJsonObject } from './people.ts'

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
