import type { InputOf } from '@reticle/sdk'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { api } from '../api/client.ts'
import { useOrganization } from '../api/organization.tsx'
import { useChange } from '../api/queries.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Field } from '../ui/field.tsx'
import { formText } from '../ui/form-text.ts'
import { ProjectField } from './project-field.tsx'
import { newSecret } from './secret.ts'
import { WebhookForm } from './webhook-form.tsx'

interface Props {
  /** Preselected project, if any. */
  projectId: number | undefined
  onClose: () => void
}

/** Renders a dialog to create a webhook of the selected organization or of a project. */
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
          hint="Deliveries are signed with it. Keep it now: it is not shown again."
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
    ['project', 'Of one project'],
    ['organization', `Of all of ${organization}`],
  ] as const
  return (
    <fieldset className="options">
      <legend>Whose events</legend>
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
