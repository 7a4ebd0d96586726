import type { InputOf } from '@reticle/sdk'
import { useId, useState } from 'react'
import { useLocation } from 'wouter'
import { api } from '../api/client.ts'
import { useOrganization } from '../api/organization.tsx'
import { useChange, useScoped } from '../api/queries.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Field, formText } from '../ui/form.tsx'
import { newSecret, WebhookForm } from './webhook-form.tsx'

interface Props {
  /** Preselected project, if any. */
  projectId: number | undefined
  onClose: () => void
}

export function CreateWebhook({ projectId, onClose }: Props) {
  const { organization } = useOrganization()
  const [type, setType] = useState<'organization' | 'project'>('project')
  const [secret] = useState(newSecret)
  const [, go] = useLocation()
  const create = useChange(
    (input: InputOf<'createWebhook'>) =>
      api.createWebhook(input, organization === undefined ? {} : { organization }),
    ({ id }) => go(`/webhooks/${id}`),
  )
  return (
    <Dialog title="New webhook" onClose={onClose}>
      <WebhookForm
        type={type}
        action="Create"
        error={create.error}
        isPending={create.isPending}
        onSubmit={(settings, form) => {
          const project_id =
            type === 'project' ? Number.parseInt(formText(form, 'project'), 10) : null
          const body = { ...settings, type, project_id, secret: formText(form, 'secret') }
          create.mutate({ body })
        }}
      >
        {organization && <TypeChoice type={type} onChange={setType} organization={organization} />}
        {type === 'project' && <ProjectField projectId={projectId} />}
        <Field
          label="Secret"
          name="secret"
          maxLength={64}
          autoComplete="off"
          defaultValue={secret}
          hint="Deliveries are signed with this secret. Store it now; it is not shown again."
        />
      </WebhookForm>
    </Dialog>
  )
}

interface TypeProps {
  type: 'organization' | 'project'
  onChange: (type: 'organization' | 'project') => void
  organization: string
}

function TypeChoice({ type, onChange, organization }: TypeProps) {
  const choices = [
    ['project', 'One project'],
    ['organization', `All of ${organization}`],
  ] as const
  return (
    <fieldset className="options">
      <legend>Events of</legend>
      {choices.map(([value, name]) => (
        <label key={value}>
          <input
            type="radio"
            name="type"
            checked={type === value}
            onChange={() => onChange(value)}
          />{' '}
          {name}
        </label>
      ))}
    </fieldset>
  )
}

const shownProjects = 20

/** Renders a field for a project id, with a search by name. */
function ProjectField({ projectId }: { projectId: number | undefined }) {
  const id = useId()
  const [typed, setTyped] = useState(projectId === undefined ? '' : String(projectId))
  const search = /^\d/.test(typed) ? undefined : typed.trim() || undefined
  const input = { search, page_size: shownProjects, sort: '-updated_date' }
  const { data } = useScoped(api.listProjects, input, { keeps: true })
  return (
    <div className="field">
      <label htmlFor={id}>Project</label>
      <input
        id={id}
        name="project"
        list={`${id}-list`}
        required
        pattern="\d+.*"
        title="The id of a project"
        autoComplete="off"
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
      />
      <datalist id={`${id}-list`}>
        {data?.results.map((project) => (
          <option key={project.id} value={`${project.id} ${project.name}`} />
        ))}
      </datalist>
    </div>
  )
}
