import { type InfiniteData, useMutation } from '@tanstack/solid-query'
import { type Answer, api, ask } from '../../api/api.ts'
import { errorMessage } from '../../api/api-problem.ts'
import { queries } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { toast, toastError } from '../../ui/toaster.tsx'
import type { Delivery, DeliveryDetail } from './delivery-data.ts'

type Page = Answer<typeof api.console.deliveries.get>

/** Whether to offer resending. The server decides in the end. */
export function canResend({ state }: Pick<Delivery, 'state'>): boolean {
  return state === 'failed' || state === 'succeeded' || state === 'pending'
}

/** Resends one delivery. The page shows it at once, and reverts with the reason if the server refuses. */
export function useResend() {
  return useMutation(() => ({
    mutationFn: ({ id }: Pick<Delivery, 'id'>) => ask(api.console.deliveries({ id }).resend.post()),
    onMutate: ({ id }) => showState(id, 'in_flight'),
    onSuccess: () => {
      toast('Resending…')
    },
    onError: (error) => {
      toastError(errorMessage(error))
    },
    onSettled: (_answer, _error, { id }) =>
      Promise.all([
        queries.invalidateQueries({ queryKey: queryKeys.delivery(id) }),
        queries.invalidateQueries({ queryKey: queryKeys.deliveries }),
      ]),
  }))
}

function showState(id: string, state: Delivery['state']): void {
  queries.setQueryData<DeliveryDetail>(queryKeys.delivery(id), (known) => known && { ...known, state })
  queries.setQueriesData<InfiniteData<Page>>(
    { queryKey: queryKeys.deliveries },
    (known) =>
      known && {
        ...known,
        pages: known.pages.map((page) => ({
          ...page,
          data: page.data.map((row) => (row.id === id ? { ...row, state } : row)),
        })),
      },
  )
}
