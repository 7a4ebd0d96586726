import type { Kysely } from 'kysely'
import type { BucketAccess } from '../buckets/ask.ts'
import type { ProjectsDb } from '../db/schema.ts'

export interface CloudStorageDeps {
  db: Kysely<ProjectsDb>
  outside: BucketAccess
}
