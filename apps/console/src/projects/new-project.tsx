import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { api } from '../api/client.ts'
import { useOrganization } from '../api/organization.tsx'
import { useChange } from '../api/queries.ts'
import { noLabels, toLabelWrites } from '../labels/draft.ts'
import { LabelsEditor } from '../labels/labels-editor.tsx'
import { Failure } from '../ui/feedback.tsx'
import { errorsOf, Field, formText } from '../ui/form.tsx'
import { Page } from '../ui/page.tsx'

export function NewProject() {
  const { organization } = useOrganization()
  const [, go] = useLocation()
  const [labels, setLabels] = useState(noLabels)
  const create = useChange(
    async (form: FormData) =>
      api.createProject({ body: bodyOf(form, toLabelWrites(labels)) }, { organization }),
    ({ id }) => go(`/projects/${id}`),
  )
  const errorsAt = errorsOf(create.error)
  return (
    <Page title="New project" above={<Link href="/projects">Projects</Link>}>
      <form
        className="sheet"
        onSubmit={(event) => {
          event.preventDefault()
          create.mutate(new FormData(event.currentTarget))
        }}
      >
        <Field label="Name" name="name" required autoFocus errors={errorsAt('name')} />
        <LabelsEditor value={labels} onChange={setLabels} errorsAt={errorsAt} />
        <details>
          <summary>More</summary>
          <Field
            label="Address of the issue tracker"
            name="bug_tracker"
            errors={errorsAt('bug_tracker')}
          />
        </details>
        {create.error && <Failure error={create.error} />}
        <button type="submit" className="primary" disabled={create.isPending}>
          Create the project
        </button>
      </form>
    </Page>
  )
}

function bodyOf(form: FormData, labels: ReturnType<typeof toLabelWrites>) {
  const bug_tracker = formText(form, 'bug_tracker')
  return { name: formText(form, 'name'), labels, ...(bug_tracker && { bug_tracker }) }
}
