import { text } from 'node:stream/consumers'
import type { AnnotationSet } from '@reticle/contracts/rest/annotations'
import { type Kysely, sql } from 'kysely'
import type { AnnotationsDb } from '../db/schema.ts'
import type { Handlers } from '../deps.ts'
import { user, whole } from './workspace.ts'

/** Members of a label event without any change. */
export const sameLabels = {
  ...{ project_id: 7, task_id: null, labels_revision: 2, deleted_label_ids: [] },
  ...{ deleted_spec_ids: [], replaced_labels: [], replaced_specs: [] },
}

/** Returns calls of the history of jobs by a permitted user. */
export function openHistory(db: Kysely<AnnotationsDb>, service: Handlers) {
  const bytesAt = async (id: number, revision: number) =>
    text((await service.getJobRevision({ id, revision, ...whole }, user())).chunks)
  return {
    bytesAt,
    bytesOf: async (id: number) =>
      text((await service.getJobAnnotations({ id, ...whole }, user())).chunks),
    setAt: async (id: number, revision: number): Promise<AnnotationSet> =>
      JSON.parse(await bytesAt(id, revision)),
    restore: async (id: number, revision: number, if_match?: string) => {
      const input = { id, revision, if_match }
      const { head, chunks } = await service.restoreJobRevision(input, user())
      return { etag: head.etag, bytes: await text(chunks) }
    },
    diff: async (id: number, from: number, to?: number) =>
      JSON.parse(
        await text((await service.getJobAnnotationsDiff({ id, from, to }, user())).chunks),
      ),
    recordsOf: async (id: number) => (await service.listJobRevisions({ id }, user())).results,
    revisionOf: async (job_id: number) => {
      const { rows } = await sql<{ revision: number }>`
        select revision from jobs where job_id = ${job_id}`.execute(db)
      return rows[0]?.revision ?? 0
    },
  }
}
