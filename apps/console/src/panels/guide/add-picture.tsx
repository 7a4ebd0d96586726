import { useMutation } from '@tanstack/react-query'
import { useRef } from 'react'
import { api } from '../../api/client.ts'
import { Failure } from '../../ui/failure.tsx'

interface Props {
  /** Returns the id of the guide, which is created if necessary. */
  guideId: () => Promise<number>
  /** Called with the markdown of the picture. */
  onAdded: (link: string) => void
}

/** Renders a button that uploads a picture into a guide. */
export function AddPicture({ guideId, onAdded }: Props) {
  const input = useRef<HTMLInputElement>(null)
  const add = useMutation({
    mutationFn: async (file: File) =>
      api.createAsset({ body: { guide_id: await guideId(), file } }),
    onSuccess: ({ uuid, filename }) => onAdded(`![${plain(filename)}](/api/assets/${uuid})`),
  })
  return (
    <>
      <input
        ref={input}
        type="file"
        hidden
        accept="image/png,image/jpeg,image/webp,image/gif"
        aria-label="Picture file"
        onChange={({ target }) => {
          const file = target.files?.[0]
          if (file) add.mutate(file)
          target.value = ''
        }}
      />
      <button type="button" disabled={add.isPending} onClick={() => input.current?.click()}>
        Add a picture
      </button>
      {add.error && <Failure error={add.error} />}
    </>
  )
}

/** Brackets would end the name of a picture in markdown. */
const plain = (name: string) => name.replace(/[[\]\\]/g, ' ')
