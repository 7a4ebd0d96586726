import type { Kysely } from 'kysely'
import type { ProjectsDb } from '../../db/schema.ts'
import type { BucketAccess } from '../buckets/open.ts'

export interface CloudStorageDeps {
  db: Kysely<ProjectsDb>
  outside: BucketAccess
}
