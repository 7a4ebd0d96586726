import type { Migrations } from '@reticle/kit/db/migrate'
import { requests } from './0001-requests.ts'

/** Every step of the schema `requests`, in order. */
export const migrations: Migrations = { '0001-requests': requests }
