import { defineInterface } from '../../host/windows/com/interfaces.ts';

export const IUpdateSession = defineInterface('IUpdateSession', '816858a4-260d-4260-933a-2585f1abc76b', {
  CreateUpdateSearcher: [12, 'ptr'],
});

export const IUpdateSearcher = defineInterface('IUpdateSearcher', '8f45abf1-f9ae-4b95-a933-f0f66e5056ea', {
  Search: [19, 'u64', 'ptr'],
  put_Online: [21, 'i16'],
});

export const ISearchResult = defineInterface('ISearchResult', 'd40cff62-e08c-4498-941a-01e25f0fd33c', {
  get_ResultCode: [7, 'ptr'],
  get_Updates: [9, 'ptr'],
});

export const IUpdateCollection = defineInterface('IUpdateCollection', '07f7438c-7709-4ca5-b518-91279288134e', {
  get_Item: [7, 'i32', 'ptr'],
  get_Count: [10, 'ptr'],
});

export const IUpdate = defineInterface('IUpdate', '6a92b07a-d821-4682-b423-5c805022cc4d', {
  get_Title: [7, 'ptr'],
  get_MsrcSeverity: [34, 'ptr'],
});
