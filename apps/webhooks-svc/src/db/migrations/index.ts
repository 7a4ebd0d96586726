import type { Migrations } from '@reticle/kit/db/migrate'
import * as webhooks from './0001-webhooks.ts'

export const migrations: Migrations = { '0001-webhooks': webhooks }
