import type { Organization } from '@reticle/sdk'
import { useId } from 'react'
import { Field } from '../ui/field.tsx'
import { formText } from '../ui/form-text.ts'

/** Renders the fields for the names and description of an organization. */
export function OrganizationFields({ given }: { given?: Organization }) {
  const id = useId()
  return (
    <>
      <Field
        label="Short name"
        name="slug"
        defaultValue={given?.slug}
        maxLength={16}
        pattern="[A-Za-z0-9_\-]+"
        required
        autoFocus
        hint="In addresses and scripts: letters, digits, - and _, at most 16."
      />
      <Field label="Name" name="name" defaultValue={given?.name} maxLength={64} />
      <div className="field">
        <label htmlFor={id}>Description</label>
        <textarea id={id} name="description" rows={3} defaultValue={given?.description} />
      </div>
    </>
  )
}

export const organizationOf = (form: FormData) => ({
  slug: formText(form, 'slug'),
  name: formText(form, 'name'),
  description: formText(form, 'description'),
})
