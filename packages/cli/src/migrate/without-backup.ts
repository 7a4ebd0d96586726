import type { Client, Label, LabelWrite, Project, Task } from '@reticle/sdk'
import { attemptStep, type Migration, type MigrationWorkspace } from './migration.ts'

/** Projects and tasks that cannot be backed up, copied as far as the API supports it. */

export async function createEmptyProject(
  migration: Migration,
  { source, organization }: MigrationWorkspace,
  { id: from, name, bug_tracker, guide_id }: Project,
): Promise<number> {
  const { target, ledger, session } = migration
  const { signal } = session
  const labels = await labelsOf(source, { project_id: from }, signal)
  const idempotency_key = await ledger.keyOf('project', from)
  const options = { signal, organization, idempotency_key }
  const { id } = await target.createProject({ body: { name, bug_tracker, labels } }, options)
  const copy = () => copyGuide(migration, source, guide_id, { project_id: id })
  await attemptStep(migration, { kind: 'project', from }, { what: 'changed', code: 'guide' }, copy)
  return id
}

export async function createEmptyTask(
  migration: Migration,
  { source, organization }: MigrationWorkspace,
  { task, project }: { task: Task; project: number | undefined },
): Promise<number> {
  const { target, ledger, session } = migration
  const { id: from, name, bug_tracker, subset, guide_id } = task
  const { signal } = session
  const idempotency_key = await ledger.keyOf('task', from)
  const place =
    project === undefined
      ? { labels: await labelsOf(source, { task_id: from }, signal) }
      : { project_id: project }
  const body = { name, bug_tracker, subset, ...place }
  const { id } = await target.createTask({ body }, { signal, organization, idempotency_key })
  const copy = () => copyGuide(migration, source, guide_id, { task_id: id })
  await attemptStep(migration, { kind: 'task', from }, { what: 'changed', code: 'guide' }, copy)
  return id
}

/** Copies a guide with its files and updates the links to them. */
async function copyGuide(
  { target, session }: Migration,
  source: Client,
  id: number | null,
  of: { project_id: number } | { task_id: number },
): Promise<void> {
  if (id === null) return
  const { signal } = session
  let { markdown } = await source.getGuide({ id }, { signal })
  const guide = await target.createGuide({ body: of }, { signal })
  for (const [link = '', uuid = ''] of markdown.matchAll(/\/api\/assets\/([\da-f-]{36})/gi)) {
    const file = await source.download(link, { signal })
    const body = { guide_id: guide.id, file: new File([await file.bytes()], file.filename ?? uuid) }
    const made = await target.createAsset({ body }, { signal })
    markdown = markdown.replaceAll(link, `/api/assets/${made.uuid}`)
  }
  await target.updateGuide({ id: guide.id, body: { markdown } }, { signal })
}

/** Reads labels for a new object, without ids and other properties of the old one. */
async function labelsOf(
  source: Client,
  of: { task_id: number } | { project_id: number },
  signal: AbortSignal,
): Promise<LabelWrite[]> {
  const labels: LabelWrite[] = []
  for await (const label of source.listLabels.each({ ...of, sort: 'id' }, { signal }))
    if (!label.has_parent) labels.push(labelOf(label))
  return labels
}

function labelOf({ name, color, type, attributes, sublabels, svg }: Label): LabelWrite {
  return {
    name,
    color,
    type,
    attributes: attributes.map(withoutId),
    ...(type === 'skeleton' && {
      svg: namedParts(svg ?? '', sublabels),
      sublabels: sublabels.map((part) => ({
        name: part.name,
        color: part.color,
        type: part.type,
        attributes: part.attributes.map(withoutId),
      })),
    }),
  }
}

const withoutId = <Attribute extends { id: number }>({ id: _, ...attribute }: Attribute) =>
  attribute

/** Nodes of a skeleton drawing refer to sublabels by id; ids differ at the target, so names are used. */
function namedParts(svg: string, parts: readonly { id: number; name: string }[]): string {
  return svg.replace(/data-label-id="(\d+)"/g, (whole, id: string) => {
    const part = parts.find((one) => one.id === Number(id))
    return part ? `data-label-name="${part.name.replaceAll('"', '&quot;')}"` : whole
  })
}
